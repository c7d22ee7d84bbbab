//! AZUL's records of our attempts.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::{Money, fiscal::local_time, payment::DeclineCode, refund::RefundFailureCode};
use ports::LookUp;

use crate::{amount, classify::classify_processed, refund_refusal::failure, response::AzulResponse, verdict::Class};

/// Time for which issuers reserve the funds of a hold.
pub(crate) const HOLD_LIFE: TimeDelta = TimeDelta::days(7);

/// Time after which AZUL continues no authentication: its own limit, and five minutes for clock skew and requests in
/// flight.
const AUTHENTICATION_LIFE: TimeDelta = TimeDelta::minutes(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sale,
    Hold,
    Post,
    Void,
    Refund,
}

/// A transaction in AZUL's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// AZUL's order id; look-ups of one transaction lack it.
    pub(crate) order: Option<String>,
    /// AZUL's long reference (`RRN`), which captures lack.
    pub(crate) reference: Option<String>,
    /// Our order number; look-ups of one transaction lack it.
    pub(crate) order_number: String,
    /// Our order id. The capture or void of a hold has the same.
    pub(crate) custom_order_id: String,
    pub(crate) kind: Kind,
    pub(crate) class: Class,
    /// Public reason, if this is a void or a refund that was refused.
    pub(crate) failure: Option<RefundFailureCode>,
    pub(crate) amount: Money,
    pub(crate) itbis: Money,
    pub(crate) at: DateTime<Utc>,
}

impl Record {
    /// Parses a record; `None` if it is incomprehensible.
    pub(crate) fn parse(response: &AzulResponse) -> Option<Self> {
        let kind = match response.text("TransactionType").to_ascii_lowercase().as_str() {
            "sale" => Kind::Sale,
            "hold" => Kind::Hold,
            "post" => Kind::Post,
            "void" => Kind::Void,
            "refund" => Kind::Refund,
            _ => return None,
        };
        // The amounts of a transaction that was not processed may be missing.
        let money = |name: &str| response.non_empty(name).map_or(Some(amount::parse("0")?), |it| amount::parse(&it));
        let class = class(response);
        Some(Self {
            reference: response.non_empty("RRN"),
            order_number: response.text("OrderNumber"),
            failure: failure(class, response),
            order: response.non_empty("AzulOrderId"),
            custom_order_id: response.text("CustomOrderId"),
            kind,
            class,
            amount: money("Amount")?,
            itbis: money("Itbis")?,
            at: instant(&response.text("DateTime"))?,
        })
    }

    pub(crate) fn is_approved(&self, kind: Kind) -> bool {
        self.kind == kind && self.class == Class::Approved
    }
}

fn class(response: &AzulResponse) -> Class {
    match response.text("ResponseCode").to_ascii_lowercase().as_str() {
        "iso8583" => classify_processed(response).class,
        // The request was recorded, but not processed.
        "error" => Class::Rejected,
        _ => Class::Ambiguous,
    }
}

/// Parses local time in digits, such as `20250808155452`.
fn instant(text: &str) -> Option<DateTime<Utc>> {
    let local = NaiveDateTime::parse_from_str(text, "%Y%m%d%H%M%S").ok()?.and_utc();
    // The country has no daylight saving time, so the offset is constant.
    let behind = local.naive_utc().signed_duration_since(local_time(local));
    local.checked_add_signed(behind)
}

/// Returns the state of an attempt from all of its records, including those of refunds under its name. A charge stays
/// approved or captured until its whole amount is returned.
pub(crate) fn summarize(records: &[Record], now: DateTime<Utc>) -> LookUp {
    let has = |kind| records.iter().find(|it| it.is_approved(kind));
    if let Some(sale) = has(Kind::Sale) {
        // A reversed sale holds no money, as if it had not been found.
        return if is_returned(records, sale.amount) { LookUp::NotFound } else { approved(sale) };
    }
    match (has(Kind::Hold), has(Kind::Post)) {
        _ if has(Kind::Void).is_some() => LookUp::Gone,
        (_, Some(post)) if is_returned(records, post.amount) => LookUp::Gone,
        (_, Some(post)) => LookUp::Captured { amount: post.amount, reference: post.order.clone() },
        // Only the missing record of the charge shows how much is left.
        (_, None) if has(Kind::Refund).is_some() => LookUp::Unknown,
        (Some(hold), None) if now >= hold_expiry(hold) => LookUp::Gone,
        (Some(hold), None) => LookUp::Held { amount: hold.amount, reference: hold.order.clone() },
        (None, None) => without_approval(records, now),
    }
}

/// Whether a void, or refunds of the whole amount, returned a charge.
pub(crate) fn is_returned(records: &[Record], charged: Money) -> bool {
    let refunds = records.iter().filter(|it| it.is_approved(Kind::Refund));
    let refunded = refunds.fold(0_i64, |sum, it| sum.saturating_add(it.amount.minor_units()));
    records.iter().any(|it| it.is_approved(Kind::Void)) || (refunded > 0 && refunded >= charged.minor_units())
}

fn approved(sale: &Record) -> LookUp {
    LookUp::Approved { amount: sale.amount, reference: sale.order.clone() }
}

/// Returns the state of an attempt without an approval. An unfinished authentication has moved no money, because only
/// its last step requests an approval; after the time limit there is no such step.
fn without_approval(records: &[Record], now: DateTime<Utc>) -> LookUp {
    let original = records.iter().filter(|it| matches!(it.kind, Kind::Sale | Kind::Hold)).max_by_key(|it| it.at);
    match original.map(|it| it.class) {
        Some(Class::Declined(code)) => LookUp::Declined(code),
        Some(Class::MethodRequired | Class::ChallengeRequired)
            if original.is_some_and(|it| now < authentication_expiry(it)) =>
        {
            LookUp::Unfinished
        }
        Some(Class::MethodRequired | Class::ChallengeRequired) => LookUp::Declined(DeclineCode::AuthenticationFailed),
        Some(Class::Rejected) => LookUp::Declined(DeclineCode::GenericDecline),
        // The record itself states that the transaction was not processed.
        Some(Class::Unavailable | Class::Busy) => LookUp::NotFound,
        Some(Class::Ambiguous | Class::Approved) => LookUp::Unknown,
        None if records.is_empty() => LookUp::NotFound,
        None => LookUp::Unknown,
    }
}

fn authentication_expiry(record: &Record) -> DateTime<Utc> {
    record.at.checked_add_signed(AUTHENTICATION_LIFE).unwrap_or(record.at)
}

fn hold_expiry(hold: &Record) -> DateTime<Utc> {
    hold.at.checked_add_signed(HOLD_LIFE).unwrap_or(hold.at)
}

#[cfg(test)]
mod tests;
