//! HTTP responses.

use std::sync::LazyLock;

use serde_json::Value;

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestResponse {
    /// Status code.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body without transfer encoding.
    pub body: Vec<u8>,
}

/// Status, code and field of an error, in the order of a table row.
pub type ErrorSummary = (u16, String, Option<String>);

impl TestResponse {
    /// Parses the first response in the bytes that a server sent before the close.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n")?;
        let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers =
            lines.filter_map(|it| it.split_once(": ")).map(|(name, value)| (name.to_lowercase(), value.into()));
        let mut answer = Self { status, headers: headers.collect(), body: bytes[end + 4..].to_vec() };
        // The remaining bytes are another response.
        answer.body.truncate(answer.header("content-length").parse().unwrap_or(usize::MAX));
        Some(answer)
    }

    /// Returns the header; empty if missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }

    /// Returns the body as text.
    ///
    /// # Panics
    ///
    /// If the body is not text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the body is text")
    }

    /// Returns the body as JSON.
    ///
    /// # Panics
    ///
    /// If the body is not JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the text at the JSON pointer.
    ///
    /// # Panics
    ///
    /// If there is no text.
    #[track_caller]
    pub fn field(&self, pointer: &str) -> String {
        let json = self.json();
        json.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {json:#}")).to_owned()
    }

    /// Returns the error, which has every property of errors.
    ///
    /// # Panics
    ///
    /// If a property is missing.
    #[track_caller]
    pub fn error(&self) -> ErrorSummary {
        self.parse_error().unwrap_or_else(|fault| panic!("{fault}: {self:?}"))
    }

    /// Parses the error.
    ///
    /// # Errors
    ///
    /// The missing property.
    pub fn parse_error(&self) -> Result<ErrorSummary, String> {
        let json: Value = serde_json::from_slice(&self.body).map_err(|error| format!("no JSON, {error}"))?;
        let error = json.get("error").and_then(Value::as_object).ok_or("no error")?;
        let mut fields: Vec<&str> = error.keys().map(String::as_str).filter(|it| *it != "param").collect();
        fields.sort_unstable();
        let is_whole = fields == ["code", "docUrl", "message", "requestId", "type"];
        let is_alone = json.as_object().is_some_and(|it| it.len() == 1);
        let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        let checks = [
            ("other fields than those of an error", is_whole && is_alone && error.values().all(Value::is_string)),
            ("another media type", self.header("content-type") == "application/json"),
            ("another request's name", text("requestId") == self.header("request-id")),
            ("another page", text("docUrl").ends_with(&format!("/errors#{}", text("code")))),
            ("no published error", is_published(text("type"), text("code"), self.status)),
            ("no well-formed request id, or a header against caching is missing", self.has_request_id()),
        ];
        match checks.into_iter().find(|(_, holds)| !holds) {
            Some((fault, _)) => Err(fault.to_owned()),
            None => {
                let param = error.get("param").and_then(Value::as_str).map(str::to_owned);
                Ok((self.status, text("code").to_owned(), param))
            }
        }
    }

    /// Asserts a well-formed request id and the headers against caching.
    ///
    /// # Panics
    ///
    /// If one is missing.
    #[track_caller]
    pub fn assert_has_request_id(&self) {
        assert!(self.has_request_id(), "{self:?}");
    }

    /// Whether the response has a well-formed request id, and the headers against caching and sniffing.
    pub fn has_request_id(&self) -> bool {
        let name = self.header("request-id").strip_prefix("request_").unwrap_or_default();
        let known = |it: u8| b"0123456789abcdefghjkmnpqrstvwxyz".contains(&it);
        name.len() >= 24
            && name.bytes().all(known)
            && self.header("cache-control") == "no-store"
            && self.header("x-content-type-options") == "nosniff"
    }

    /// Returns the body without the request id.
    pub fn body_without_request_id(&self) -> String {
        self.text().replace(self.header("request-id"), "<request>")
    }
}

/// Whether the table lists the code with this type and this status. Four responses have HTTP's own, more exact status.
fn is_published(kind: &str, code: &str, status: u16) -> bool {
    static TABLE: LazyLock<String> = LazyLock::new(|| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/error-codes.tsv");
        std::fs::read_to_string(path).expect("the table of codes is there")
    });
    let usual = match (status, code) {
        (408 | 413 | 415, "parameter_invalid") => 400,
        (405, "endpoint_not_found") => 404,
        _ => status,
    };
    TABLE.lines().any(|line| {
        let mut fields = line.split('\t').skip(1);
        (fields.next(), fields.next(), fields.next()) == (Some(kind), Some(usual.to_string().as_str()), Some(code))
    })
}
