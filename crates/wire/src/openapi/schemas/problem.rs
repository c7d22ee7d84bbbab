//! What went wrong.

use domain::RequestId;
use serde_json::{Value, json};

use super::{
    super::{
        codes,
        schema::{choice, id, open, optional, page, reference, required, saying},
    },
    Named,
};

pub(super) fn schemas() -> Vec<Named> {
    vec![("Error", open([required("error", reference("Problem"))])), ("Problem", problem())]
}

fn problem() -> Value {
    let text = || json!({"type": "string"});
    open([
        required("type", choice(codes::kinds())),
        required("code", saying(text(), "Stable. Branch on it, never on the message.")),
        required("message", saying(text(), "For people; its wording may change.")),
        optional("param", saying(text(), "Dotted path of the offending field, or the name of the header.")),
        required("docUrl", page()),
        required("requestId", saying(id(RequestId::PREFIX), "The same as in the Request-Id header.")),
    ])
}
