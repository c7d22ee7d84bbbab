//! DGII's responses: JSON or XML, names in varying case, values as text or number, messages as texts or objects;
//! sometimes an HTML page.

use domain::fiscal::Observation;
use serde_json::{Map, Value};

use crate::tree;

/// Maximum number of messages per response.
const MAX_MESSAGES: usize = 20;
/// Maximum number of characters per message.
const MAX_MESSAGE_LENGTH: usize = 500;

/// Body of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Content(DgiiResponse),
    /// An HTML page, perhaps from a proxy in front of DGII.
    Page,
    /// Neither JSON, XML nor text.
    Unreadable,
}

/// Content of a response: an object, a list, or a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DgiiResponse(Value);

impl Body {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.starts_with('<') {
            return tree::parse(text).map_or(Self::Page, |it| Self::Content(DgiiResponse(it)));
        }
        match serde_json::from_str(text) {
            // DGII sometimes sends JSON inside a JSON string.
            Ok(Value::String(inner)) => {
                Self::Content(DgiiResponse(serde_json::from_str(&inner).unwrap_or(Value::String(inner))))
            }
            Ok(value @ (Value::Object(_) | Value::Array(_))) => Self::Content(DgiiResponse(value)),
            Ok(_) => Self::Unreadable,
            // A sentence without quotes. Truncated JSON starts with another character.
            Err(_) if text.starts_with(char::is_alphabetic) => {
                Self::Content(DgiiResponse(Value::String(text.to_owned())))
            }
            Err(_) => Self::Unreadable,
        }
    }
}

impl DgiiResponse {
    /// Returns the first of these values that is not empty, as text. Names are compared without case.
    pub(crate) fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| scalar_text(self.value(name)?))
    }

    /// Returns a truth value in any spelling.
    pub(crate) fn boolean(&self, names: &[&str]) -> Option<bool> {
        match self.text(names)?.to_ascii_lowercase().as_str() {
            "true" | "1" | "si" | "sí" => Some(true),
            "false" | "0" | "no" => Some(false),
            _ => None,
        }
    }

    pub(crate) const fn is_list(&self) -> bool {
        matches!(self.0, Value::Array(_))
    }

    /// Returns the objects of a list: of a JSON list, of a single object instead of a list, or of an XML list.
    pub(crate) fn items(&self) -> Option<Vec<Self>> {
        let list = match &self.0 {
            Value::Array(list) => list,
            Value::Object(fields) => match fields.values().next() {
                Some(Value::Array(list)) if fields.len() == 1 => list,
                // XML does not distinguish a list of one element.
                Some(Value::Object(_)) if fields.len() == 1 => {
                    return Some(fields.values().cloned().map(Self).collect());
                }
                _ if fields.is_empty() => return Some(Vec::new()),
                _ => return Some(vec![self.clone()]),
            },
            // An empty element is an empty list.
            Value::String(text) if text.is_empty() => return Some(Vec::new()),
            _ => return None,
        };
        list.iter().map(|it| it.is_object().then(|| Self(it.clone()))).collect()
    }

    /// Returns DGII's messages, without empty ones.
    pub(crate) fn messages(&self) -> Vec<Observation> {
        let mut messages = Vec::new();
        match &self.0 {
            Value::Object(fields) => {
                for name in ["mensajes", "mensaje", "error", "errors", "errores", "message", "title", "detail"] {
                    value_of(fields, name).into_iter().for_each(|it| collect(it, &mut messages));
                }
            }
            other => collect(other, &mut messages),
        }
        messages.dedup();
        messages
    }

    fn value(&self, name: &str) -> Option<&Value> {
        value_of(self.0.as_object()?, name)
    }
}

fn value_of<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn scalar_text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        _ => return None,
    };
    Some(text).filter(|it| !it.is_empty())
}

fn collect(value: &Value, messages: &mut Vec<Observation>) {
    if messages.len() >= MAX_MESSAGES {
        return;
    }
    match value {
        Value::Array(list) => list.iter().for_each(|it| collect(it, messages)),
        Value::Object(fields) => {
            let words = ["valor", "mensaje", "message", "descripcion", "error"];
            let message = words.iter().find_map(|name| scalar_text(value_of(fields, name)?));
            let code = ["codigo", "code"].iter().find_map(|name| scalar_text(value_of(fields, name)?));
            match (message, code) {
                (Some(message), code) => push(code.unwrap_or_else(|| "0".to_owned()), &message, messages),
                (None, Some(code)) if code != "0" => push(code, "", messages),
                // An XML list inside the element, or the fields of a problem.
                (None, _) => {
                    fields.values().filter(|it| !matches!(it, Value::Number(_) | Value::Bool(_))).for_each(|it| {
                        if !matches!(it, Value::String(text) if text == "0") {
                            collect(it, messages);
                        }
                    })
                }
            }
        }
        Value::String(text) if !text.trim().is_empty() => push("0".to_owned(), text.trim(), messages),
        _ => {}
    }
}

fn push(code: String, message: &str, messages: &mut Vec<Observation>) {
    let message = message.chars().filter(|it| !it.is_control()).take(MAX_MESSAGE_LENGTH).collect();
    messages.push(Observation { code: code.chars().take(16).collect(), message });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(text: &str) -> DgiiResponse {
        match Body::parse(text.as_bytes()) {
            Body::Content(response) => response,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn messages(text: &str) -> Vec<(String, String)> {
        response(text).messages().into_iter().map(|it| (it.code, it.message)).collect()
    }

    fn one(code: &str, message: &str) -> Vec<(String, String)> {
        vec![(code.to_owned(), message.to_owned())]
    }

    #[test]
    fn names_are_compared_without_case() {
        for text in [
            r#"{"codigo":1,"eNCF":"E31"}"#,
            r#"{"Codigo":"1","encf":" E31 "}"#,
            "<RespuestaConsulta><Codigo>1</Codigo><eNCF>E31</eNCF></RespuestaConsulta>",
            "\u{feff}<a:R xmlns:a=\"urn:dgii\"><a:codigo>1</a:codigo><a:encf>E31</a:encf></a:R>",
            r#""{\"codigo\":1,\"encf\":\"E31\"}""#,
        ] {
            let response = response(text);
            assert_eq!(response.text(&["codigo"]).as_deref(), Some("1"), "{text}");
            assert_eq!(response.text(&["encf"]).as_deref(), Some("E31"), "{text}");
        }
        assert_eq!(response(r#"{"codigo":null,"estado":"","otro":{}}"#).text(&["codigo", "estado", "otro", "x"]), None);
    }

    #[test]
    fn messages_are_parsed_in_every_known_form() {
        let words = "no autorizado";
        assert_eq!(messages(r#""no autorizado""#), one("0", words));
        assert_eq!(messages("no autorizado"), one("0", words));
        for name in ["mensaje", "message", "error", "Mensaje", "title"] {
            assert_eq!(messages(&format!(r#"{{"{name}":"no autorizado"}}"#)), one("0", words), "{name}");
        }
        assert_eq!(messages(r#"{"mensajes":["no autorizado"]}"#), one("0", words));
        assert_eq!(messages(r#"{"mensaje":["no autorizado",null,""]}"#), one("0", words));
        assert_eq!(messages(r#"{"mensajes":[{"valor":"no autorizado","codigo":135}]}"#), one("135", words));
        assert_eq!(messages(r#"{"mensajes":{"valor":"no autorizado","codigo":"135"}}"#), one("135", words));
        assert_eq!(messages(r#"{"errors":{"xml":["no autorizado"]},"status":400}"#), one("0", words));
        let xml = "<R><mensajes><Mensaje><codigo>135</codigo><valor>no autorizado</valor></Mensaje></mensajes></R>";
        assert_eq!(messages(xml), one("135", words));
        assert_eq!(messages("<string>no autorizado</string>"), one("0", words));
    }

    #[test]
    fn an_empty_message_is_omitted() {
        for text in [
            r#"{"mensajes":null}"#,
            r#"{"mensajes":[]}"#,
            r#"{"mensajes":[{"valor":"","codigo":0}]}"#,
            r#"{"mensajes":[{"valor":"","codigo":"0"}]}"#,
            r#"{"error":"","mensaje":null}"#,
            "<R><mensajes><Mensaje><codigo>0</codigo><valor/></Mensaje></mensajes></R>",
            "{}",
        ] {
            assert_eq!(messages(text), [], "{text}");
        }
    }

    #[test]
    fn messages_are_limited_in_number_and_length() {
        let long = format!(r#"{{"mensajes":[{{"valor":"a\nb{}","codigo":1}}]}}"#, "x".repeat(10_000));
        assert_eq!(response(&long).messages()[0].message.chars().count(), MAX_MESSAGE_LENGTH);
        assert!(response(&long).messages()[0].message.starts_with("abx"));
        let many = format!("[{}]", vec!["\"m\",\"n\""; 1000].join(","));
        assert_eq!(response(&many).messages().len(), MAX_MESSAGES);
    }

    #[test]
    fn a_list_may_be_empty_a_single_object_or_xml() {
        let count = |text: &str| response(text).items().map(|it| it.len());

        assert_eq!(count(r#"[{"trackId":"a"},{"trackId":"b"}]"#), Some(2));
        assert_eq!(count(r#"{"trackId":"a","estado":"Aceptado"}"#), Some(1));
        assert_eq!(count("<L><T><trackId>a</trackId></T><T><trackId>b</trackId></T></L>"), Some(2));
        assert_eq!(count("<L><T><trackId>a</trackId></T></L>"), Some(1));
        for nothing in ["[]", "{}", "<L/>"] {
            assert_eq!(count(nothing), Some(0), "{nothing}");
        }
        assert_eq!(count("no encontrado"), None);
        assert_eq!(count(r#"["a"]"#), None);
    }

    #[test]
    fn pages_and_invalid_json_are_no_responses() {
        assert_eq!(Body::parse(b"<!DOCTYPE html><html><body>ERROR</body></html>"), Body::Page);
        assert_eq!(Body::parse(b"<html>ERROR</html>"), Body::Page);
        assert_eq!(Body::parse(b"<a><b></a>"), Body::Page);
        for noise in [&b""[..], b"{", b"null", b"7", br#"{"codigo":"1""#, b"\xff\xfe"] {
            assert_eq!(Body::parse(noise), Body::Unreadable, "{noise:?}");
        }
    }
}
