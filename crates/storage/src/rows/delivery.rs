use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{DeliveryProblem, DeliveryStatus, RequestedDelivery},
    mailing::Mailing,
    text::Email,
};
use ports::{Change, DeliveryName, Tenant};

use super::{Inconsistent, counter, read_tenant};
use crate::{
    records::{self, DeliveryRecord},
    schema::{deliveries, fiscal_documents},
    time::{instant, millis},
};

/// One row of `deliveries`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = deliveries, treat_none_as_default_value = false)]
pub(crate) struct DeliveryRow {
    merchant: String,
    mode: String,
    document: String,
    number: i64,
    email: String,
    requested_at: i64,
    #[diesel(embed)]
    mailing: MailingRow,
}

/// How far it has come.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = deliveries, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct MailingRow {
    status: String,
    status_at: Option<i64>,
    problem: Option<String>,
    tries: i64,
    doubts: i64,
    is_under_way: bool,
    due_at: Option<i64>,
    lease_until: Option<i64>,
    version: i64,
}

/// The columns of `fiscal_documents` that a delivery changes.
#[derive(AsChangeset)]
#[diesel(table_name = fiscal_documents)]
pub(crate) struct ShownDeliveryRow {
    delivery: String,
    updated_at: i64,
    version: i64,
}

/// What a delivery is named by: merchant, mode, document and number.
pub(crate) type DeliveryNameRow = (String, String, String, i64);

impl DeliveryRow {
    pub(crate) fn new(tenant: &Tenant, change: &Change<RequestedDelivery>) -> Self {
        let delivery = &change.to;
        Self {
            merchant: tenant.merchant.to_string(),
            mode: tenant.mode.as_str().to_owned(),
            document: delivery.document.to_string(),
            number: delivery.number.into(),
            email: delivery.email.as_str().to_owned(),
            requested_at: millis(delivery.at),
            mailing: MailingRow::new(&delivery.mailing, change.lease_until),
        }
    }
}

impl MailingRow {
    pub(crate) fn new(mailing: &Mailing, lease_until: Option<DateTime<Utc>>) -> Self {
        let (at, problem) = match &mailing.status {
            DeliveryStatus::NotRequested | DeliveryStatus::WaitingForDocument | DeliveryStatus::Canceled => {
                (None, None)
            }
            DeliveryStatus::Queued { at } | DeliveryStatus::Sent { at } => (Some(*at), None),
            DeliveryStatus::Failed { at, code } => (Some(*at), Some(*code)),
        };
        Self {
            status: mailing.status.as_str().to_owned(),
            status_at: at.map(millis),
            problem: problem.map(|it| it.as_str().to_owned()),
            tries: mailing.tries.into(),
            doubts: mailing.doubts.into(),
            is_under_way: mailing.is_under_way,
            due_at: mailing.due_at.map(millis),
            lease_until: lease_until.map(millis),
            version: mailing.version.into(),
        }
    }

    fn restore(self) -> Result<Mailing, &'static str> {
        let at = self.status_at.and_then(instant);
        let status = match (self.status.as_str(), at, self.problem.as_deref()) {
            ("waiting_for_document", None, None) => DeliveryStatus::WaitingForDocument,
            ("queued", Some(at), None) => DeliveryStatus::Queued { at },
            ("sent", Some(at), None) => DeliveryStatus::Sent { at },
            ("failed", Some(at), Some(code)) => {
                DeliveryStatus::Failed { at, code: DeliveryProblem::from_code(code).ok_or("problem")? }
            }
            ("canceled", None, None) => DeliveryStatus::Canceled,
            _ => return Err("status"),
        };
        Ok(Mailing {
            status,
            tries: counter(self.tries).ok_or("tries")?,
            doubts: counter(self.doubts).ok_or("doubts")?,
            is_under_way: self.is_under_way,
            due_at: self.due_at.map(|it| instant(it).ok_or("due_at")).transpose()?,
            version: counter(self.version).ok_or("version")?,
        })
    }
}

impl From<&FiscalDocument> for ShownDeliveryRow {
    fn from(document: &FiscalDocument) -> Self {
        let state = document.state();
        Self {
            delivery: records::text(&DeliveryRecord::from(&state.delivery)),
            updated_at: millis(state.updated_at),
            version: state.version.into(),
        }
    }
}

impl TryFrom<DeliveryRow> for RequestedDelivery {
    type Error = Inconsistent;

    fn try_from(row: DeliveryRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("deliveries", &row.document);
        Ok(Self {
            document: FiscalDocumentId::parse(&row.document).ok_or_else(|| broken("document"))?,
            number: counter(row.number).ok_or_else(|| broken("number"))?,
            email: Email::parse(&row.email).ok_or_else(|| broken("email"))?,
            at: instant(row.requested_at).ok_or_else(|| broken("requested_at"))?,
            mailing: row.mailing.restore().map_err(broken)?,
        })
    }
}

pub(crate) fn restore_delivery_name(
    (merchant, mode, document, number): DeliveryNameRow,
) -> Result<DeliveryName, Inconsistent> {
    let broken = Inconsistent::of("deliveries", &document);
    Ok(DeliveryName {
        tenant: read_tenant(&merchant, &mode).ok_or_else(|| broken("merchant"))?,
        document: FiscalDocumentId::parse(&document).ok_or_else(|| broken("document"))?,
        number: counter(number).ok_or_else(|| broken("number"))?,
    })
}
