use diesel::prelude::*;
use domain::{CertificateId, fiscal::CertificateFacts};
use ports::StoredCertificate;

use super::{Inconsistent, read_tenant};
use crate::{
    schema::certificates,
    time::{instant, millis},
};

/// One row of `certificates`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = certificates, treat_none_as_default_value = false)]
pub(crate) struct CertificateRow {
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

impl From<StoredCertificate> for CertificateRow {
    fn from(stored: StoredCertificate) -> Self {
        Self {
            merchant: stored.tenant.merchant.as_str().to_owned(),
            mode: stored.tenant.mode.as_str().to_owned(),
            id: stored.id.as_str().to_owned(),
            subject: stored.facts.subject,
            not_before: millis(stored.facts.not_before),
            not_after: millis(stored.facts.not_after),
            certificate: stored.certificate,
            sealed_key: stored.sealed_key,
            imported_at: millis(stored.imported_at),
        }
    }
}

impl TryFrom<CertificateRow> for StoredCertificate {
    type Error = Inconsistent;

    fn try_from(row: CertificateRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("certificates", &row.id);
        Ok(Self {
            id: CertificateId::parse(&row.id).ok_or_else(|| broken("id"))?,
            tenant: read_tenant(&row.merchant, &row.mode).ok_or_else(|| broken("merchant"))?,
            facts: CertificateFacts {
                subject: row.subject,
                not_before: instant(row.not_before).ok_or_else(|| broken("not_before"))?,
                not_after: instant(row.not_after).ok_or_else(|| broken("not_after"))?,
            },
            certificate: row.certificate,
            sealed_key: row.sealed_key,
            imported_at: instant(row.imported_at).ok_or_else(|| broken("imported_at"))?,
        })
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

impl TryFrom<FactsRow> for CertificateFacts {
    type Error = Inconsistent;

    fn try_from(row: FactsRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("certificates", &row.id);
        Ok(Self {
            not_before: instant(row.not_before).ok_or_else(|| broken("not_before"))?,
            not_after: instant(row.not_after).ok_or_else(|| broken("not_after"))?,
            subject: row.subject,
        })
    }
}
