//! `GET /events`.

use domain::{
    EventKind, PaymentId, Refusal,
    listing::{EventFilter, PageRequest},
    webhook::EventSelection,
};

use super::{filters::Filters, page, parameters, period::period};
use crate::{
    create_webhook_endpoint::event_patterns,
    read::{self, Object, Value},
    schema,
};

/// Parses the query of `GET /events`.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn events(raw: &str) -> Result<(EventFilter, PageRequest), Refusal> {
    read::request(&parameters(raw)?, fields)
}

pub(crate) fn fields(query: &mut Object<'_>) -> Option<(EventFilter, PageRequest)> {
    let page = page(query);
    let kinds = query.optional("type", "Type of event, or all types of one object as `payment.*`.", kinds);
    let payment = query.optional("paymentId", "Payment that the events belong to.", |value| {
        let schema = || schema::id(PaymentId::PREFIX);
        value.parsed(schema, PaymentId::parse, "The value must be the identifier of a payment.")
    });
    let period = period(query);
    let (page, (created_after, created_before)) = (page?, period?);
    let filter = EventFilter {
        accounts: Vec::new(),
        kinds: kinds?.unwrap_or_default(),
        payment: payment?,
        created_after,
        created_before,
    };
    let filters = filters(&filter);
    Some((filter, PageRequest { filters, ..page }))
}

fn kinds(value: Value<'_>) -> Option<Vec<EventKind>> {
    let parse = |text: &str| {
        let selection = EventSelection::parse(&[text.to_owned()]).ok().filter(|_| text != "*")?;
        Some(EventKind::ALL.iter().copied().filter(|kind| selection.includes(*kind)).collect())
    };
    let schema = || schema::choice(event_patterns().iter().map(String::as_str));
    value.parsed(schema, parse, "The value must be a type of event, or a prefix such as payment.*.")
}

fn filters(query: &EventFilter) -> String {
    let kinds: Vec<&str> = query.kinds.iter().map(|kind| kind.as_str()).collect();
    let kinds = kinds.join(",");
    Filters::of("events")
        .text("type", Some(kinds.as_str()).filter(|kinds| !kinds.is_empty()))
        .text("paymentId", query.payment.as_ref().map(PaymentId::as_str))
        .instant("createdAfter", query.created_after)
        .instant("createdBefore", query.created_before)
        .finish()
}
