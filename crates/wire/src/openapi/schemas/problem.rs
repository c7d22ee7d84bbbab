//! Error responses: one schema for each family of codes, so that the codes of a status are a closed enumeration.

use serde_json::{Value, json};

use super::{super::codes, responses};
use crate::schema::{choice, reference, with_description};

/// Returns the schemas of each family: the response, the problem, and the code.
pub(super) fn schemas() -> Vec<(String, Value)> {
    let kinds = with_description(choice(codes::kinds()), "Class of the error.");
    let of_family = codes::families().into_iter().flat_map(|family| {
        let codes = codes::rows().filter(|row| row.family == family).map(|row| row.code);
        let error = with_description(reference(&problem_name(family)), "The error.");
        let response = json!({"type": "object", "properties": {"error": error}, "required": ["error"]});
        [
            (response_name(family), response),
            (problem_name(family), problem(family)),
            (code_name(family), with_description(choice(codes), "Stable code: branch on it, never on the message.")),
        ]
    });
    of_family.chain([("ErrorType".to_owned(), kinds)]).collect()
}

/// Name of the schema of a response in that family.
pub(in crate::openapi) fn response_name(family: &str) -> String {
    format!("{family}ErrorResponse")
}

fn problem_name(family: &str) -> String {
    format!("{family}Problem")
}

fn code_name(family: &str) -> String {
    format!("{family}Code")
}

fn problem(family: &str) -> Value {
    let mut problem = responses::problem();
    let properties = &mut problem["properties"];
    properties["type"] = with_description(reference("ErrorType"), "Class of the error.");
    properties["code"] = with_description(reference(&code_name(family)), "Stable code.");
    problem
}
