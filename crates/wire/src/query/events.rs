//! `GET /events`.

use chrono::{DateTime, Utc};
use domain::{EventKind, PaymentId, Refusal, webhook::EventSelection};

use super::{cursor, filters::Filters, instant::period, limit, parameters};
use crate::read::{self, Value};

/// Which events, and which part of their list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventQuery {
    /// Of these kinds; of any if empty.
    pub kinds: Vec<EventKind>,
    /// About this payment.
    pub payment: Option<PaymentId>,
    /// From this moment on.
    pub created_after: Option<DateTime<Utc>>,
    /// Before this moment.
    pub created_before: Option<DateTime<Utc>>,
    /// 1 to 100.
    pub limit: u16,
    /// As sent.
    pub cursor: Option<String>,
    /// Everything but the last two, in one canonical text that a cursor can be bound to.
    pub filters: String,
}

/// What the query `raw` of `GET /events` asks for.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if its name is plain.
pub fn events(raw: &str) -> Result<EventQuery, Refusal> {
    read::request(&parameters(raw)?, |it| {
        let limit = limit(it);
        let cursor = it.optional("cursor", cursor);
        let kinds = it.optional("type", kinds);
        let payment = it.optional("paymentId", |value| {
            value.parsed(PaymentId::parse, "The value must be the identifier of a payment.")
        });
        let period = period(it);
        let query = EventQuery {
            kinds: kinds?.unwrap_or_default(),
            payment: payment?,
            created_after: period.as_ref()?.after,
            created_before: period?.before,
            limit: limit?,
            cursor: cursor?,
            filters: String::new(),
        };
        Some(EventQuery { filters: filters(&query), ..query })
    })
}

/// One kind, or all that begin with the same word.
fn kinds(value: Value<'_>) -> Option<Vec<EventKind>> {
    let parse = |text: &str| {
        let selection = EventSelection::parse(&[text.to_owned()]).ok().filter(|_| text != "*")?;
        Some(EventKind::ALL.iter().copied().filter(|kind| selection.includes(*kind)).collect())
    };
    value.parsed(parse, "The value must be a kind of event, or a prefix such as payment.*.")
}

fn filters(query: &EventQuery) -> String {
    let kinds: Vec<&str> = query.kinds.iter().map(|it| it.as_str()).collect();
    let kinds = kinds.join(",");
    Filters::of("events")
        .text("type", Some(kinds.as_str()).filter(|it| !it.is_empty()))
        .text("paymentId", query.payment.as_ref().map(PaymentId::as_str))
        .instant("createdAfter", query.created_after)
        .instant("createdBefore", query.created_before)
        .finish()
}
