//! Error responses: one schema for each family of codes, so that the codes of a status are a closed enumeration.

use domain::RequestId;
use serde_json::{Value, json};

use super::super::{
    codes,
    schema::{choice, id, open, optional, page, reference, required, saying},
};

/// The schemas of each family: the response, the problem in it, and its code.
pub(super) fn schemas() -> Vec<(String, Value)> {
    let kinds = saying(choice(codes::kinds()), "The class of the error.");
    let of_each = codes::families().into_iter().flat_map(|family| {
        let codes = codes::rows().filter(|row| row.family == family).map(|row| row.code);
        [
            (response_name(family), open([required("error", reference(&problem_name(family)))])),
            (problem_name(family), problem(family)),
            (code_name(family), saying(choice(codes), "Stable: branch on it, never on the message.")),
        ]
    });
    of_each.chain([("ErrorType".to_owned(), kinds)]).collect()
}

/// The name of the schema of a response in that family.
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
    let text = || json!({"type": "string"});
    open([
        required("type", reference("ErrorType")),
        required("code", reference(&code_name(family))),
        required("message", saying(text(), "For people; its wording may change.")),
        optional("param", saying(text(), "Dotted path of the offending field, or the name of the header.")),
        required("docUrl", saying(page(), "The documentation of the code.")),
        required("requestId", saying(id(RequestId::PREFIX), "The same as in the Request-Id header.")),
    ])
}
