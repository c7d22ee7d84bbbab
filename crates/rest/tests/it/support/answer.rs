use serde_json::Value;

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// What an error says, in the order of a row in a table: status, code, field.
type Told = (u16, String, Option<String>);

impl Answer {
    /// The answer in what a server sent before it closed.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n")?;
        let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers =
            lines.filter_map(|it| it.split_once(": ")).map(|(name, value)| (name.to_lowercase(), value.into()));
        Some(Self { status, headers: headers.collect(), body: bytes[end + 4..].to_vec() })
    }

    /// The header, empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The text at the JSON pointer.
    #[track_caller]
    pub(crate) fn field(&self, pointer: &str) -> String {
        let json = self.json();
        json.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {json:#}")).to_owned()
    }

    /// The error, which has every property that every error has.
    #[track_caller]
    pub(crate) fn error(&self) -> Told {
        let json = self.json();
        let error = json.get("error").and_then(Value::as_object).unwrap_or_else(|| panic!("an error, not {json:#}"));
        let mut fields: Vec<&str> = error.keys().map(String::as_str).filter(|it| *it != "param").collect();
        fields.sort_unstable();
        assert_eq!(fields, ["code", "docUrl", "message", "requestId", "type"]);
        assert_eq!(json.as_object().unwrap().len(), 1);
        assert!(error.values().all(Value::is_string), "{json:#}");

        let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
        let code = text("code").unwrap();
        assert_eq!(self.header("content-type"), "application/json");
        assert_eq!(text("requestId").as_deref(), Some(self.header("request-id")));
        assert_eq!(text("docUrl").unwrap(), format!("https://docs.cobro.example/errors#{code}"));
        assert_published(&text("type").unwrap(), &code, self.status);
        self.assert_named();
        (self.status, code, text("param"))
    }

    /// Every answer has a well-formed name, and nobody keeps it.
    #[track_caller]
    pub(crate) fn assert_named(&self) {
        let name = self.header("request-id").strip_prefix("request_").unwrap_or_default();
        let known = |it: u8| b"0123456789abcdefghjkmnpqrstvwxyz".contains(&it);
        assert!(name.len() >= 24 && name.bytes().all(known), "{self:?}");
        assert_eq!(self.header("cache-control"), "no-store");
        assert_eq!(self.header("x-content-type-options"), "nosniff");
    }

    /// The body without what names the exchange.
    pub(crate) fn body_but_for_the_name(&self) -> String {
        self.text().replace(self.header("request-id"), "<request>")
    }
}

/// The table lists the code with this type and this status. Three answers have HTTP's own, more exact status.
#[track_caller]
fn assert_published(kind: &str, code: &str, status: u16) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/error-codes.tsv");
    let table = std::fs::read_to_string(path).unwrap();
    let usual = match (status, code) {
        (413 | 415, "parameter_invalid") => 400,
        (405, "endpoint_not_found") => 404,
        _ => status,
    };
    let is_published = table.lines().any(|line| {
        let mut fields = line.split('\t').skip(1);
        (fields.next(), fields.next(), fields.next()) == (Some(kind), Some(usual.to_string().as_str()), Some(code))
    });
    assert!(is_published, "{kind} {status} {code}");
}
