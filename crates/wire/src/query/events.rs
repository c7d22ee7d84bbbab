//! `GET /events`.

use chrono::{DateTime, Utc};
use domain::{EventKind, PaymentId, Refusal, webhook::EventSelection};

use super::{filters::Filters, page, parameters, period::period};
use crate::{
    create_webhook_endpoint::event_patterns,
    read::{self, Object, Value},
    schema,
};

/// Filters and page of `GET /events`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventQuery {
    /// Types of events. Empty means all.
    pub kinds: Vec<EventKind>,
    /// Payment of the events.
    pub payment: Option<PaymentId>,
    /// First moment of the period.
    pub created_after: Option<DateTime<Utc>>,
    /// Moment right after the period.
    pub created_before: Option<DateTime<Utc>>,
    /// 1 to 100.
    pub limit: u16,
    /// Cursor as sent.
    pub cursor: Option<String>,
    /// Canonical text of the filters, to which a cursor is bound.
    pub filters: String,
}

/// Parses the query of `GET /events`.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn events(raw: &str) -> Result<EventQuery, Refusal> {
    read::request(&parameters(raw)?, fields)
}

pub(crate) fn fields(query: &mut Object<'_>) -> Option<EventQuery> {
    let page = page(query);
    let kinds = query.optional("type", "Type of event, or all types of one object as `payment.*`.", kinds);
    let payment = query.optional("paymentId", "Payment that the events belong to.", |value| {
        let schema = || schema::id(PaymentId::PREFIX);
        value.parsed(schema, PaymentId::parse, "The value must be the identifier of a payment.")
    });
    let period = period(query);
    let (page, period) = (page?, period?);
    let query = EventQuery {
        kinds: kinds?.unwrap_or_default(),
        payment: payment?,
        created_after: period.after,
        created_before: period.before,
        limit: page.limit,
        cursor: page.cursor,
        filters: String::new(),
    };
    Some(EventQuery { filters: filters(&query), ..query })
}

fn kinds(value: Value<'_>) -> Option<Vec<EventKind>> {
    let parse = |text: &str| {
        let selection = EventSelection::parse(&[text.to_owned()]).ok().filter(|_| text != "*")?;
        Some(EventKind::ALL.iter().copied().filter(|kind| selection.includes(*kind)).collect())
    };
    let schema = || schema::choice(event_patterns().iter().map(String::as_str));
    value.parsed(schema, parse, "The value must be a type of event, or a prefix such as payment.*.")
}

fn filters(query: &EventQuery) -> String {
    let kinds: Vec<&str> = query.kinds.iter().map(|kind| kind.as_str()).collect();
    let kinds = kinds.join(",");
    Filters::of("events")
        .text("type", Some(kinds.as_str()).filter(|kinds| !kinds.is_empty()))
        .text("paymentId", query.payment.as_ref().map(PaymentId::as_str))
        .instant("createdAfter", query.created_after)
        .instant("createdBefore", query.created_before)
        .finish()
}
