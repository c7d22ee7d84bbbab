//! Every operation, topic by topic.

mod documents;
mod events;
mod merchant;
mod payments;
mod splits;
mod webhooks;

use serde_json::{Map, Value, json};

use super::{answers::error_responses, operation::Operation};

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
    let answer = ("200", plain("The process serves requests.", "alive\n"));
    health(
        "isAlive",
        "Check that the process serves",
        "Asks nothing else: a database that is away changes nothing.",
        [answer],
    )
}

/// Whether it may take traffic.
fn ready() -> Value {
    let answers = [
        ("200", plain("The database answers.", "ready\n")),
        ("503", plain("The database does not answer.", "not ready\n")),
    ];
    health("isReady", "Check that the process may take traffic", "Asks the database.", answers)
}

fn health<const N: usize>(id: &str, summary: &str, description: &str, answers: [(&str, Value); N]) -> Value {
    let mut responses: Map<String, Value> = answers.into_iter().map(|(status, it)| (status.to_owned(), it)).collect();
    responses.extend(error_responses(&["parameter_invalid"]));
    responses["400"]["description"] = json!("The Host header names no host, or is missing.");
    json!({"get": {
        "operationId": id, "tags": ["Health"], "summary": summary, "description": description, "security": [],
        "responses": responses,
    }})
}

fn plain(description: &str, example: &str) -> Value {
    let content = json!({"text/plain": {"schema": {"type": "string"}, "example": example}});
    json!({"description": description, "content": content})
}
