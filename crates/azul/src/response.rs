//! AZUL's responses: flat objects, in which each value may be missing, `null`, or of a varying type.

use serde_json::{Map, Value};

/// Fields of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AzulResponse(Map<String, Value>);

/// Body of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Fields(AzulResponse),
    /// An HTML page, probably from a firewall or proxy in front of AZUL.
    Page,
    Unreadable,
}

impl Body {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        // A text may be in another encoding. No such text is used.
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}').trim();
        match serde_json::from_str(text) {
            Ok(fields) => Self::Fields(AzulResponse(fields)),
            Err(_) if text.starts_with('<') => Self::Page,
            Err(_) => Self::Unreadable,
        }
    }
}

impl AzulResponse {
    /// Returns a value as text; an empty text if the value is missing.
    pub(crate) fn text(&self, name: &str) -> String {
        match self.0.get(name) {
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(truth)) => truth.to_string(),
            _ => String::new(),
        }
    }

    /// Returns a value that is neither missing nor empty.
    pub(crate) fn non_empty(&self, name: &str) -> Option<String> {
        Some(self.text(name)).filter(|it| !it.is_empty())
    }

    /// Whether the response names both the transaction that was sent and AZUL's number of that transaction.
    pub(crate) fn identifies(&self, custom_order_id: &str) -> bool {
        self.text("CustomOrderId") == custom_order_id && self.non_empty("AzulOrderId").is_some()
    }

    /// Whether AZUL did not process the request.
    pub(crate) fn is_error(&self) -> bool {
        self.text("ResponseCode").eq_ignore_ascii_case("Error")
    }

    /// Returns a truth value, which AZUL documents as boolean and sends as text.
    pub(crate) fn boolean(&self, name: &str) -> Option<bool> {
        match self.text(name).to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
    }

    /// Returns a text in a nested object.
    pub(crate) fn nested(&self, object: &str, name: &str) -> Option<String> {
        let text = self.0.get(object)?.get(name)?.as_str()?;
        Some(text.to_owned()).filter(|it| !it.is_empty())
    }

    /// Replaces the list `name`.
    pub(crate) fn with_list(mut self, name: &str, items: Vec<Self>) -> Self {
        self.0.insert(name.to_owned(), items.into_iter().map(|it| Value::Object(it.0)).collect());
        self
    }

    /// Returns the objects of a list.
    pub(crate) fn list(&self, name: &str) -> Option<Vec<Self>> {
        let items = self.0.get(name)?.as_array()?;
        items.iter().map(|it| it.as_object().cloned().map(Self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_all_types_are_read_as_text() {
        let Body::Fields(response) = Body::parse(br#"{"a":" x ","b":7,"c":true,"d":null,"e":{}}"#) else { panic!() };

        assert_eq!(["a", "b", "c", "d", "e", "f"].map(|it| response.text(it)), ["x", "7", "true", "", "", ""]);
    }

    #[test]
    fn found_is_parsed_in_every_known_spelling() {
        let boolean = |text: &str| match Body::parse(format!(r#"{{"Found":{text}}}"#).as_bytes()) {
            Body::Fields(response) => response.boolean("Found"),
            _ => panic!("{text}"),
        };

        for text in ["true", r#""true""#, r#""True""#, r#""1""#, "1"] {
            assert_eq!(boolean(text), Some(true), "{text}");
        }
        for text in ["false", r#""false""#, r#""0""#, "0"] {
            assert_eq!(boolean(text), Some(false), "{text}");
        }
        for text in ["null", r#""""#, r#""yes""#, "2", "[]"] {
            assert_eq!(boolean(text), None, "{text}");
        }
    }

    #[test]
    fn an_approval_without_both_names_identifies_no_transaction() {
        for (names, is_identified) in [
            (r#""CustomOrderId":"attempt_1","AzulOrderId":"44772544""#, true),
            (r#""CustomOrderId":"","AzulOrderId":"44772544""#, false),
            (r#""CustomOrderId":null,"AzulOrderId":"44772544""#, false),
            (r#""AzulOrderId":"44772544""#, false),
            (r#""CustomOrderId":"attempt_2","AzulOrderId":"44772544""#, false),
            (r#""CustomOrderId":"attempt_1","AzulOrderId":"""#, false),
            (r#""CustomOrderId":"attempt_1""#, false),
        ] {
            let Body::Fields(response) = Body::parse(format!("{{{names}}}").as_bytes()) else { panic!("{names}") };

            assert_eq!(response.identifies("attempt_1"), is_identified, "{names}");
        }
    }

    #[test]
    fn pages_and_invalid_json_are_no_responses() {
        assert_eq!(Body::parse(b"<html>Incapsula</html>"), Body::Page);
        assert_eq!(Body::parse(b"\xef\xbb\xbf \n<!DOCTYPE html>"), Body::Page);
        for noise in [&b""[..], b"{", br#"{"IsoCode":"00""#, b"[]", b"null", b"\"00\"", b"Service Unavailable"] {
            assert_eq!(Body::parse(noise), Body::Unreadable, "{noise:?}");
        }
        assert!(matches!(Body::parse(b"\xef\xbb\xbf{\"ResponseMessage\":\"CONFIGURACI\xd3N\"}"), Body::Fields(_)));
    }
}
