//! Schemas of requests, responses and errors, by name.

mod problem;
mod requests;
mod responses;

pub(super) use problem::response_name;

use serde_json::{Map, Value};

/// Returns every schema.
pub(super) fn all() -> Map<String, Value> {
    requests::schemas().into_iter().chain(responses::schemas()).chain(problem::schemas()).collect()
}
