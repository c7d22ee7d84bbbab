//! One operation, from a row of facts to what the document says of it.

use serde_json::{Map, Value, json};

use super::{
    answers::{self, error_responses},
    examples, headers,
    schema::{binary, reference, with},
};

/// Everything that an operation is, but for what all of them have in common.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    /// Description: details that the summary omits.
    pub(super) description: &'static str,
    /// Who may call it, each for itself.
    pub(super) callers: &'static [Caller],
    /// Names of what goes into the path, the query and the headers.
    pub(super) parameters: &'static [&'static str],
    /// The schema of the body, and the name of its example.
    pub(super) body: Option<&'static str>,
    pub(super) answer: Answer,
    /// The codes that not every operation answers with.
    pub(super) refusals: &'static [&'static str],
}

/// The answer if all goes well.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) content: Content,
    /// Whether it is of something that has versions.
    pub(super) has_etag: bool,
}

/// What an answer consists of.
pub(super) enum Content {
    /// JSON of that schema, with these examples.
    Json(&'static str, &'static [&'static str]),
    /// The bytes of a signed document.
    SignedXml,
    /// The bytes of a printed representation.
    PrintedPdf,
}

/// Who calls.
#[derive(Clone, Copy)]
pub(super) enum Caller {
    Key,
    AdminKey,
    Pay,
    Organizer,
    Receipt,
}

/// What an operation is called with beside its own codes.
const OF_EVERY_OPERATION: &[&str] = &[
    "parameter_invalid",
    "api_key_missing",
    "api_key_invalid",
    "checkout_token_invalid",
    "checkout_token_expired",
    "rate_limit_exceeded",
    "internal_error",
];

/// What comes with the key of a writing operation.
const OF_EVERY_WRITE: &[&str] =
    &["parameter_missing", "idempotency_key_reused", "idempotency_request_in_progress", "idempotency_key_expired"];

impl Operation {
    /// Whether it changes anything, and so takes a key.
    fn is_write(&self) -> bool {
        self.method != "get"
    }

    /// The operation object.
    pub(super) fn describe(&self) -> Value {
        let mut operation = json!({
            "operationId": self.id,
            "tags": [self.tag],
            "summary": self.summary,
            "description": self.description,
            "security": self.callers.iter().map(|caller| caller.requirement()).collect::<Vec<_>>(),
            "responses": self.responses(),
        });
        let parameters = self.parameters();
        if !parameters.is_empty() {
            operation["parameters"] = json!(parameters);
        }
        if let Some(body) = self.body {
            operation["requestBody"] = request_body(body);
        }
        operation
    }

    fn parameters(&self) -> Vec<Value> {
        let key = self.is_write().then_some("IdempotencyKey");
        let condition = self.refusals.contains(&"precondition_failed").then_some("IfMatch");
        let names = key.into_iter().chain(condition).chain(self.parameters.iter().copied());
        names.map(|name| json!({"$ref": format!("#/components/parameters/{name}")})).collect()
    }

    fn responses(&self) -> Map<String, Value> {
        let mut codes = [self.refusals, OF_EVERY_OPERATION].concat();
        if self.is_write() {
            codes.extend(OF_EVERY_WRITE);
        }
        let mut responses = error_responses(&codes);
        if self.body.is_some() {
            responses.extend(answers::of_bodies());
        }
        responses.insert(self.answer.status.to_string(), self.success());
        responses
    }

    fn success(&self) -> Value {
        let Answer { status, content, has_etag } = &self.answer;
        let mut names = vec!["Request-Id", "Cache-Control", "RateLimit", "RateLimit-Policy"];
        if *has_etag {
            names.push("ETag");
        }
        if self.is_write() {
            names.push("Idempotent-Replayed");
        }
        let description = match status {
            201 => "Made.",
            202 => "Taken on: it is done later.",
            _ => "Done.",
        };
        let content = match content {
            Content::Json(schema, shown) => {
                json!({"application/json": {"schema": reference(schema), "examples": examples::references(shown)}})
            }
            Content::PrintedPdf => {
                names.push("Content-Disposition");
                json!({"application/pdf": {
                    "schema": binary(),
                    "example": "%PDF-1.7 …",
                }})
            }
            Content::SignedXml => {
                names.push("Content-Disposition");
                json!({"application/xml": {
                    "schema": binary(),
                    "example": "<?xml version=\"1.0\" encoding=\"utf-8\"?><ECF>…</ECF>",
                }})
            }
        };
        json!({"description": description, "headers": headers::references(&names), "content": content})
    }
}

impl Caller {
    /// Security scheme of the credential. An operation accepts any one of its schemes.
    fn requirement(self) -> Value {
        let scheme = match self {
            Self::Key => "merchantKey",
            Self::AdminKey => "adminKey",
            Self::Pay => "payToken",
            Self::Organizer => "organizerToken",
            Self::Receipt => "receiptToken",
        };
        json!({scheme: []})
    }
}

fn request_body(schema: &str) -> Value {
    let content = with(json!({"schema": reference(schema)}), [("examples", examples::of_request(schema))]);
    json!({"required": true, "content": {"application/json": content}})
}
