//! What AZUL remembers of our attempts.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::{Money, fiscal::local_time, payment::DeclineCode};
use ports::LookUp;

use crate::{
    amount,
    answer::Answer,
    classify::{Class, processed},
};

/// How long issuers keep funds reserved for AZUL.
pub(crate) const HOLD_LIFE: TimeDelta = TimeDelta::days(7);

/// After this, AZUL goes on with no authentication any more: its time frame, and five minutes for clocks and for calls
/// that are under way.
const AUTHENTICATION_LIFE: TimeDelta = TimeDelta::minutes(20);

/// What a transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sale,
    Hold,
    Post,
    Void,
    Refund,
}

/// A transaction as AZUL remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// AZUL's own name for it; look-ups of one transaction do not tell it.
    pub(crate) order: Option<String>,
    /// Our name for it. What came of a sale or a hold has the same.
    pub(crate) custom_order_id: String,
    pub(crate) kind: Kind,
    /// What it came to.
    pub(crate) class: Class,
    pub(crate) amount: Money,
    pub(crate) itbis: Money,
    pub(crate) at: DateTime<Utc>,
}

impl Record {
    /// The record in `answer`; `None` if it cannot be understood.
    pub(crate) fn read(answer: &Answer) -> Option<Self> {
        let kind = match answer.text("TransactionType").to_ascii_lowercase().as_str() {
            "sale" => Kind::Sale,
            "hold" => Kind::Hold,
            "post" => Kind::Post,
            "void" => Kind::Void,
            "refund" => Kind::Refund,
            _ => return None,
        };
        // AZUL may leave out what a transaction that was not processed was about.
        let money = |name: &str| answer.given(name).map_or(Some(amount::read("0")?), |it| amount::read(&it));
        Some(Self {
            order: answer.given("AzulOrderId"),
            custom_order_id: answer.text("CustomOrderId"),
            kind,
            class: class(answer),
            amount: money("Amount")?,
            itbis: money("Itbis")?,
            at: instant(&answer.text("DateTime"))?,
        })
    }

    pub(crate) fn is_approved(&self, kind: Kind) -> bool {
        self.kind == kind && self.class == Class::Approved
    }
}

fn class(answer: &Answer) -> Class {
    match answer.text("ResponseCode").to_ascii_lowercase().as_str() {
        "iso8583" => processed(answer).class,
        // It was kept, and not processed.
        "error" => Class::Rejected,
        _ => Class::Ambiguous,
    }
}

/// Local time in digits, as in `20250808155452`.
fn instant(text: &str) -> Option<DateTime<Utc>> {
    let local = NaiveDateTime::parse_from_str(text, "%Y%m%d%H%M%S").ok()?.and_utc();
    // No daylight saving is known here: local time is as far behind then as it is now.
    let behind = local.naive_utc().signed_duration_since(local_time(local));
    local.checked_add_signed(behind)
}

/// What all records of an attempt come to, those of its refund included.
pub(crate) fn story(records: &[Record], now: DateTime<Utc>) -> LookUp {
    let has = |kind| records.iter().find(|it| it.is_approved(kind));
    if let Some(sale) = has(Kind::Sale) {
        // What was given back holds no money, and there is no other word for that.
        let is_back = has(Kind::Void).or(has(Kind::Refund)).is_some();
        return if is_back { LookUp::NotFound } else { approved(sale) };
    }
    match (has(Kind::Hold), has(Kind::Post), has(Kind::Void).or(has(Kind::Refund))) {
        (_, _, Some(_)) => LookUp::Gone,
        (_, Some(post), None) => LookUp::Captured { amount: post.amount, reference: post.order.clone() },
        (Some(hold), None, None) if now >= lapses_at(hold) => LookUp::Gone,
        (Some(hold), None, None) => LookUp::Held { amount: hold.amount, reference: hold.order.clone() },
        (None, None, None) => unapproved(records, now),
    }
}

fn approved(sale: &Record) -> LookUp {
    LookUp::Approved { amount: sale.amount, reference: sale.order.clone() }
}

/// What records come to of which none was approved. An authentication that was asked for and is not
/// finished has moved nothing, since only its end asks the issuer; and once its time is over it never will.
fn unapproved(records: &[Record], now: DateTime<Utc>) -> LookUp {
    let original = records.iter().filter(|it| matches!(it.kind, Kind::Sale | Kind::Hold)).max_by_key(|it| it.at);
    match original.map(|it| it.class) {
        Some(Class::Declined(code)) => LookUp::Declined(code),
        Some(Class::MethodAsked | Class::ChallengeAsked) if original.is_some_and(|it| now < ends_at(it)) => {
            LookUp::Unfinished
        }
        Some(Class::MethodAsked | Class::ChallengeAsked) => LookUp::Declined(DeclineCode::AuthenticationFailed),
        Some(Class::Rejected) => LookUp::Declined(DeclineCode::GenericDecline),
        // It says of itself that it was not processed.
        Some(Class::Unavailable | Class::Busy) => LookUp::NotFound,
        Some(Class::Ambiguous | Class::Approved) => LookUp::Unknown,
        None if records.is_empty() => LookUp::NotFound,
        None => LookUp::Unknown,
    }
}

fn ends_at(asked: &Record) -> DateTime<Utc> {
    asked.at.checked_add_signed(AUTHENTICATION_LIFE).unwrap_or(asked.at)
}

fn lapses_at(hold: &Record) -> DateTime<Utc> {
    hold.at.checked_add_signed(HOLD_LIFE).unwrap_or(hold.at)
}

#[cfg(test)]
mod tests;
