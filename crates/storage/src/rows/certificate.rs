use diesel::prelude::*;
use domain::fiscal::CertificateFacts;
use ports::{StoredCertificate, Tenant};

use super::{Inconsistent, StoredRow, row};
use crate::{column::Column, schema::certificates};

row! {
    /// One row of `certificates`.
    CertificateRow in certificates by id {
        merchant: String,
        mode: String,
        id: String,
        subject: String,
        not_before: i64,
        not_after: i64,
        certificate: Vec<u8>,
        sealed_key: Vec<u8>,
        imported_at: i64,
    }
    StoredCertificate {
        id,
        tenant: Tenant { merchant, mode },
        facts: CertificateFacts { subject, not_before, not_after },
        certificate,
        sealed_key,
        imported_at,
    }
}

/// Public data of a certificate, without the key.
#[derive(Queryable, Selectable)]
#[diesel(table_name = certificates)]
pub(crate) struct FactsRow {
    id: String,
    subject: String,
    not_before: i64,
    not_after: i64,
}

impl StoredRow for FactsRow {
    type Value = CertificateFacts;

    fn restore(self) -> Result<CertificateFacts, Inconsistent> {
        let broken = Inconsistent::of("certificates", &self.id);
        Ok(CertificateFacts {
            subject: self.subject,
            not_before: Column::load(self.not_before, "not_before").map_err(&broken)?,
            not_after: Column::load(self.not_after, "not_after").map_err(&broken)?,
        })
    }
}
