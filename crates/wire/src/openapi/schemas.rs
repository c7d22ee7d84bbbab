//! The schemas of everything that is sent and answered, by name.

mod account;
mod checkout;
mod document;
mod document_request;
mod event;
mod merchant_request;
mod payment;
mod payment_request;
mod problem;
mod split;
mod split_request;
mod webhook;

pub(super) use event::event_patterns;
pub(super) use problem::response_name;
pub(super) use split::ordinal;

use serde_json::{Map, Value};

/// A schema and its name.
type Named = (&'static str, Value);

/// Every schema.
pub(super) fn all() -> Map<String, Value> {
    let topics = [
        payment_request::schemas(),
        split_request::schemas(),
        document_request::schemas(),
        merchant_request::schemas(),
        payment::schemas(),
        split::schemas(),
        checkout::schemas(),
        document::schemas(),
        account::schemas(),
        event::schemas(),
        webhook::schemas(),
    ];
    let schemas = topics.into_iter().flatten().map(|(name, schema)| (name.to_owned(), schema));
    schemas.chain(problem::schemas()).collect()
}
