//! AZUL's answers as they come: flat objects in which any value may be missing, `null`, or of another
//! type than the last time.

use serde_json::{Map, Value};

/// What AZUL said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer(Map<String, Value>);

/// What came back as the body of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// AZUL spoke.
    Said(Answer),
    /// A page for people: something between us and AZUL spoke.
    Page,
    /// Nothing that can be read.
    Unreadable,
}

impl Body {
    /// The body that those bytes are.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        // Texts may be in another encoding than JSON's; nothing that is read here depends on them.
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}').trim();
        match serde_json::from_str(text) {
            Ok(fields) => Self::Said(Answer(fields)),
            Err(_) if text.starts_with('<') => Self::Page,
            Err(_) => Self::Unreadable,
        }
    }
}

impl Answer {
    /// The value of that name as text; empty if there is none.
    pub(crate) fn text(&self, name: &str) -> String {
        match self.0.get(name) {
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(truth)) => truth.to_string(),
            _ => String::new(),
        }
    }

    /// The value of that name, if there is one that says something.
    pub(crate) fn given(&self, name: &str) -> Option<String> {
        Some(self.text(name)).filter(|it| !it.is_empty())
    }

    /// Whether the response names both the transaction that was sent and AZUL's number of that transaction.
    pub(crate) fn identifies(&self, custom_order_id: &str) -> bool {
        self.text("CustomOrderId") == custom_order_id && self.given("AzulOrderId").is_some()
    }

    /// The truth of that name: documented as a truth value, and met as a text.
    pub(crate) fn truth(&self, name: &str) -> Option<bool> {
        match self.text(name).to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
    }

    /// The text of that name in the object of that name.
    pub(crate) fn inner(&self, object: &str, name: &str) -> Option<String> {
        let text = self.0.get(object)?.get(name)?.as_str()?;
        Some(text.to_owned()).filter(|it| !it.is_empty())
    }

    /// The same answer, with those objects in the list of that name.
    pub(crate) fn with_list(mut self, name: &str, items: Vec<Self>) -> Self {
        self.0.insert(name.to_owned(), items.into_iter().map(|it| Value::Object(it.0)).collect());
        self
    }

    /// The objects in the list of that name.
    pub(crate) fn list(&self, name: &str) -> Option<Vec<Self>> {
        let items = self.0.get(name)?.as_array()?;
        items.iter().map(|it| it.as_object().cloned().map(Self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_text_whatever_its_type() {
        let Body::Said(answer) = Body::read(br#"{"a":" x ","b":7,"c":true,"d":null,"e":{}}"#) else { panic!() };

        assert_eq!(["a", "b", "c", "d", "e", "f"].map(|it| answer.text(it)), ["x", "7", "true", "", "", ""]);
    }

    #[test]
    fn found_is_a_truth_in_every_spelling_that_was_met() {
        let truth = |text: &str| match Body::read(format!(r#"{{"Found":{text}}}"#).as_bytes()) {
            Body::Said(answer) => answer.truth("Found"),
            _ => panic!("{text}"),
        };

        for text in ["true", r#""true""#, r#""True""#, r#""1""#, "1"] {
            assert_eq!(truth(text), Some(true), "{text}");
        }
        for text in ["false", r#""false""#, r#""0""#, "0"] {
            assert_eq!(truth(text), Some(false), "{text}");
        }
        for text in ["null", r#""""#, r#""yes""#, "2", "[]"] {
            assert_eq!(truth(text), None, "{text}");
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
            let Body::Said(answer) = Body::read(format!("{{{names}}}").as_bytes()) else { panic!("{names}") };

            assert_eq!(answer.identifies("attempt_1"), is_identified, "{names}");
        }
    }

    #[test]
    fn pages_and_noise_are_told_from_answers() {
        assert_eq!(Body::read(b"<html>Incapsula</html>"), Body::Page);
        assert_eq!(Body::read(b"\xef\xbb\xbf \n<!DOCTYPE html>"), Body::Page);
        for noise in [&b""[..], b"{", br#"{"IsoCode":"00""#, b"[]", b"null", b"\"00\"", b"Service Unavailable"] {
            assert_eq!(Body::read(noise), Body::Unreadable, "{noise:?}");
        }
        assert!(matches!(Body::read(b"\xef\xbb\xbf{\"ResponseMessage\":\"CONFIGURACI\xd3N\"}"), Body::Said(_)));
    }
}
