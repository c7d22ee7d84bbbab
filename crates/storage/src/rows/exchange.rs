use chrono::NaiveDateTime;
use diesel::prelude::*;
use domain::{
    FiscalDocumentId,
    fiscal::{CommercialApproval, Environment, IncomingDocument},
    text::{BoundedText, Digits},
};
use ports::{ReceivedDocument, StoredApproval, Tenant};

use super::Inconsistent;
use crate::{
    records::optional,
    schema::{commercial_approvals, received_documents},
    time::{date, day, instant, millis},
};

/// Format of the time of an approval, which has no zone.
const DECIDED_AT: &str = "%Y-%m-%dT%H:%M:%S";

/// One row of `received_documents`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = received_documents, treat_none_as_default_value = false)]
pub(crate) struct ReceivedRow {
    merchant: String,
    mode: String,
    environment: String,
    sender: String,
    number: String,
    ecf_type: i64,
    recipient: String,
    issue_date: String,
    total: i64,
    received_at: i64,
    xml: Vec<u8>,
    acknowledgement: String,
}

impl ReceivedRow {
    pub(crate) fn new(tenant: &Tenant, received: ReceivedDocument) -> Self {
        let document = received.document;
        Self {
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            environment: received.environment.as_str().to_owned(),
            sender: document.sender.as_str().to_owned(),
            number: document.number.as_str().to_owned(),
            ecf_type: document.ecf_type.into(),
            recipient: document.recipient.as_str().to_owned(),
            issue_date: day(document.issue_date),
            total: document.total_minor_units,
            received_at: millis(received.received_at),
            xml: received.xml,
            acknowledgement: received.acknowledgement,
        }
    }
}

impl TryFrom<ReceivedRow> for ReceivedDocument {
    type Error = Inconsistent;

    fn try_from(row: ReceivedRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("received_documents", &format!("{} {}", row.sender, row.number));
        let document = IncomingDocument {
            ecf_type: u8::try_from(row.ecf_type).map_err(|_| broken("ecf_type"))?,
            number: BoundedText::parse(&row.number).ok_or_else(|| broken("number"))?,
            sender: Digits::parse(&row.sender).ok_or_else(|| broken("sender"))?,
            recipient: Digits::parse(&row.recipient).ok_or_else(|| broken("recipient"))?,
            issue_date: date(&row.issue_date).ok_or_else(|| broken("issue_date"))?,
            total_minor_units: row.total,
        };
        Ok(Self {
            document,
            environment: Environment::from_code(&row.environment).ok_or_else(|| broken("environment"))?,
            received_at: instant(row.received_at).ok_or_else(|| broken("received_at"))?,
            xml: row.xml,
            acknowledgement: row.acknowledgement,
        })
    }
}

/// One row of `commercial_approvals`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = commercial_approvals, treat_none_as_default_value = false)]
pub(crate) struct ApprovalRow {
    merchant: String,
    mode: String,
    document: String,
    issuer: String,
    number: String,
    issue_date: String,
    total: i64,
    buyer: String,
    is_accepted: bool,
    reason: Option<String>,
    decided_at: String,
    received_at: i64,
    xml: Vec<u8>,
}

impl ApprovalRow {
    pub(crate) fn new(tenant: &Tenant, kept: StoredApproval) -> Self {
        let approval = kept.approval;
        Self {
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            document: kept.document.as_str().to_owned(),
            issuer: approval.issuer.as_str().to_owned(),
            number: approval.number.as_str().to_owned(),
            issue_date: day(approval.issue_date),
            total: approval.total_minor_units,
            buyer: approval.buyer.as_str().to_owned(),
            is_accepted: approval.is_accepted,
            reason: approval.reason.map(|it| it.as_str().to_owned()),
            decided_at: approval.said_at.format(DECIDED_AT).to_string(),
            received_at: millis(kept.received_at),
            xml: kept.xml,
        }
    }
}

impl TryFrom<ApprovalRow> for StoredApproval {
    type Error = Inconsistent;

    fn try_from(row: ApprovalRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("commercial_approvals", &row.document);
        let approval = CommercialApproval {
            issuer: Digits::parse(&row.issuer).ok_or_else(|| broken("issuer"))?,
            number: BoundedText::parse(&row.number).ok_or_else(|| broken("number"))?,
            issue_date: date(&row.issue_date).ok_or_else(|| broken("issue_date"))?,
            total_minor_units: row.total,
            buyer: Digits::parse(&row.buyer).ok_or_else(|| broken("buyer"))?,
            is_accepted: row.is_accepted,
            reason: optional(row.reason.as_deref(), BoundedText::parse).ok_or_else(|| broken("reason"))?,
            said_at: NaiveDateTime::parse_from_str(&row.decided_at, DECIDED_AT).map_err(|_| broken("decided_at"))?,
        };
        Ok(Self {
            document: FiscalDocumentId::parse(&row.document).ok_or_else(|| broken("document"))?,
            approval,
            received_at: instant(row.received_at).ok_or_else(|| broken("received_at"))?,
            xml: row.xml,
        })
    }
}
