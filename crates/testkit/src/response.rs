//! What came back over HTTP.

use std::sync::LazyLock;

use serde_json::Value;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestResponse {
    /// The status.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// What an error says, in the order of a row in a table: status, code, field.
pub type ErrorSummary = (u16, String, Option<String>);

impl TestResponse {
    /// The answer in what a server sent before it closed.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n")?;
        let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers =
            lines.filter_map(|it| it.split_once(": ")).map(|(name, value)| (name.to_lowercase(), value.into()));
        let mut answer = Self { status, headers: headers.collect(), body: bytes[end + 4..].to_vec() };
        // What comes after it is another answer.
        answer.body.truncate(answer.header("content-length").parse().unwrap_or(usize::MAX));
        Some(answer)
    }

    /// The header, empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }

    /// The body, which is text.
    ///
    /// # Panics
    ///
    /// It is not.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the body is text")
    }

    /// The body, which is JSON.
    ///
    /// # Panics
    ///
    /// It is not.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The text at the JSON pointer.
    ///
    /// # Panics
    ///
    /// There is none.
    #[track_caller]
    pub fn field(&self, pointer: &str) -> String {
        let json = self.json();
        json.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {json:#}")).to_owned()
    }

    /// The error, which has every property that every error has.
    ///
    /// # Panics
    ///
    /// It has not.
    #[track_caller]
    pub fn error(&self) -> ErrorSummary {
        self.parse_error().unwrap_or_else(|fault| panic!("{fault}: {self:?}"))
    }

    /// The error, or what it lacks.
    ///
    /// # Errors
    ///
    /// It does not have every property that every error has.
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
            ("no well-formed name, or somebody keeps it", self.has_request_id()),
        ];
        match checks.into_iter().find(|(_, holds)| !holds) {
            Some((fault, _)) => Err(fault.to_owned()),
            None => {
                let param = error.get("param").and_then(Value::as_str).map(str::to_owned);
                Ok((self.status, text("code").to_owned(), param))
            }
        }
    }

    /// Every answer has a well-formed name, and nobody keeps it.
    ///
    /// # Panics
    ///
    /// This one has not.
    #[track_caller]
    pub fn assert_has_request_id(&self) {
        assert!(self.has_request_id(), "{self:?}");
    }

    /// Whether the answer has a well-formed name, and nobody keeps it or guesses what it is.
    pub fn has_request_id(&self) -> bool {
        let name = self.header("request-id").strip_prefix("request_").unwrap_or_default();
        let known = |it: u8| b"0123456789abcdefghjkmnpqrstvwxyz".contains(&it);
        name.len() >= 24
            && name.bytes().all(known)
            && self.header("cache-control") == "no-store"
            && self.header("x-content-type-options") == "nosniff"
    }

    /// The body without what names the exchange.
    pub fn body_without_request_id(&self) -> String {
        self.text().replace(self.header("request-id"), "<request>")
    }
}

/// Whether the table lists the code with this type and this status. Four answers have HTTP's own,
/// more exact status.
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
