//! Every operation, topic by topic.

mod documents;
mod events;
mod merchant;
mod payments;
mod splits;
mod webhooks;

use serde_json::{Map, Value, json};

use super::operation::Operation;

const TOPICS: [&[Operation]; 6] = [
    payments::OPERATIONS,
    splits::OPERATIONS,
    documents::OPERATIONS,
    merchant::OPERATIONS,
    events::OPERATIONS,
    webhooks::OPERATIONS,
];

/// What can be done at each path.
pub(super) fn paths() -> Value {
    let mut paths = Map::new();
    for operation in TOPICS.into_iter().flatten() {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = operation.describe();
    }
    paths.extend([("/healthz".to_owned(), alive()), ("/readyz".to_owned(), ready())]);
    json!(paths)
}

/// Whether the process serves at all.
fn alive() -> Value {
    let operation = json!({
        "operationId": "isAlive", "tags": ["Health"], "summary": "Whether the process serves at all", "security": [],
        "responses": {"200": plain("It does.", "alive\n")},
    });
    json!({"get": operation})
}

/// Whether it may take traffic.
fn ready() -> Value {
    let operation = json!({
        "operationId": "isReady", "tags": ["Health"], "summary": "Whether it may take traffic", "security": [],
        "responses": {"200": plain("Its database answers.", "ready\n"), "503": plain("It does not.", "not ready\n")},
    });
    json!({"get": operation})
}

fn plain(description: &str, example: &str) -> Value {
    let content = json!({"text/plain": {"schema": {"type": "string"}, "example": example}});
    json!({"description": description, "content": content})
}
