use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU32, Ordering},
};

use serde::Deserialize;

use super::{
    Placeholders,
    placeholders::{expand, expand_text, placeholders_in},
};
use crate::json::{with, without};

/// Request of a case with the expected response, as in the data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseRequest {
    /// Changes of the server before the request, such as `store down`.
    #[serde(default, rename = "first")]
    pub(super) changes_before: Vec<String>,
    /// Method and target.
    #[serde(default)]
    send: String,
    /// Credential of the request.
    #[serde(default, rename = "as")]
    credential: String,
    /// Headers that replace those of the same name.
    #[serde(default)]
    set: Vec<String>,
    /// Additional headers.
    #[serde(default)]
    add: Vec<String>,
    /// Omitted headers.
    #[serde(default)]
    drop: Vec<String>,
    #[serde(default)]
    body: String,
    /// Replaced values of the body, by path, as raw JSON.
    #[serde(default)]
    edit: BTreeMap<String, String>,
    /// Removed paths of the body.
    #[serde(default)]
    cut: Vec<String>,
    /// All bytes of the request, instead of the other fields.
    #[serde(default)]
    raw: String,
    /// Number of concurrent copies.
    #[serde(default = "one")]
    pub(super) copies: usize,
    /// Expected status, code and field.
    pub(super) expect: String,
    /// Expected headers or values of the body, by header or JSON pointer.
    #[serde(default, rename = "says")]
    pub(super) expected_values: BTreeMap<String, String>,
    /// Texts that the response must not contain.
    #[serde(default, rename = "lacks")]
    pub(super) forbidden_texts: Vec<String>,
    /// Headers or JSON pointers of values that become placeholders of later requests, by placeholder.
    #[serde(default, rename = "keep")]
    pub(super) saved_values: BTreeMap<String, String>,
    /// Expected change of the stored rows.
    #[serde(default = "no_effect")]
    pub(super) effect: String,
    /// Changes of the server after the request.
    #[serde(default, rename = "then")]
    pub(super) changes_after: Vec<String>,
}

fn one() -> usize {
    1
}

fn no_effect() -> String {
    "nothing".to_owned()
}

impl CaseRequest {
    /// Returns the bytes of the request, and their values that no message may repeat.
    pub(super) fn compose(&self, placeholders: &Placeholders) -> (Vec<u8>, Vec<String>) {
        if !self.raw.is_empty() {
            return (expand(&self.raw, placeholders), Vec::new());
        }
        let body = self.body(placeholders);
        let headers = self.headers(placeholders, &body);
        let send = expand_text(&self.send, placeholders);
        let mut bytes = format!("{send} HTTP/1.1\r\n").into_bytes();
        for (name, value) in &headers {
            bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        let checked =
            headers.iter().filter(|(name, _)| !["host", "content-type", "connection"].contains(&name.as_str()));
        let mut sent_values: Vec<String> =
            checked.map(|(_, value)| String::from_utf8_lossy(value).into_owned()).collect();
        sent_values.extend(send.split([' ', '/', '?', '&', '=']).skip(1).map(str::to_owned));
        sent_values.extend(self.edit.values().map(|it| expand_text_lossy(it, placeholders)));
        sent_values.retain(|it| it.len() > 4 && !is_interface_word(it) && !is_amount(it));
        ([&bytes, &b"\r\n"[..], &body].concat(), sent_values)
    }

    /// Returns the placeholders that the request uses.
    pub(super) fn placeholders(&self) -> Vec<&str> {
        let lists = [&self.set, &self.add].into_iter().flatten();
        let edits = self.edit.iter().flat_map(|(location, value)| [location, value]);
        let expected = self.expected_values.iter().flat_map(|(location, value)| [location, value]);
        let texts = [&self.send, &self.body, &self.raw].into_iter().chain(lists).chain(edits).chain(expected);
        let credential = (!self.credential.is_empty()).then_some(self.credential.as_str());
        texts.flat_map(|it| placeholders_in(it)).chain(credential).collect()
    }

    fn headers(&self, placeholders: &Placeholders, body: &[u8]) -> Vec<(String, Vec<u8>)> {
        static KEYS: AtomicU32 = AtomicU32::new(1);
        let mut headers = Vec::new();
        let mut put = |name: &str, value: String| headers.push((name.to_owned(), value.into_bytes()));
        put("host", placeholders["HOST"].clone());
        put("connection", "close".to_owned());
        if !self.credential.is_empty() {
            put("authorization", format!("Bearer {}", expand_text(&format!("{{{}}}", self.credential), placeholders)));
        }
        if self.send.starts_with('P') {
            put("content-type", "application/json".to_owned());
            put("idempotency-key", format!("a-key-of-its-own-{}", KEYS.fetch_add(1, Ordering::Relaxed)));
        }
        if !body.is_empty() {
            put("content-length", body.len().to_string());
        }
        let set: Vec<(String, Vec<u8>)> = self.set.iter().map(|it| parse_header(it, placeholders)).collect();
        for (name, value) in set {
            // The last value of a header set twice wins.
            headers.retain(|(it, _)| *it != name);
            headers.push((name, value));
        }
        headers.retain(|(name, _)| !self.drop.contains(name));
        headers.extend(self.add.iter().map(|it| parse_header(it, placeholders)));
        headers
    }

    fn body(&self, placeholders: &Placeholders) -> Vec<u8> {
        if self.edit.is_empty() && self.cut.is_empty() {
            return expand(&self.body, placeholders);
        }
        let mut body = expand_text(&self.body, placeholders);
        for path in &self.cut {
            body = without(&body, path);
        }
        for (index, path) in self.edit.keys().enumerate() {
            body = with(&body, &expand_text(path, placeholders), &format!("\"<edit {index}>\""));
        }
        let mut bytes = body.into_bytes();
        for (index, value) in self.edit.values().enumerate() {
            bytes = replace_once(&bytes, format!("\"<edit {index}>\"").as_bytes(), &expand(value, placeholders));
        }
        bytes
    }
}

fn parse_header(text: &str, placeholders: &Placeholders) -> (String, Vec<u8>) {
    let (name, value) = text.split_once(": ").unwrap_or_else(|| panic!("not a header: {text}"));
    (name.to_owned(), expand(value, placeholders))
}

/// Replaces the only occurrence of `old`.
fn replace_once(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = bytes.windows(old.len()).position(|it| it == old).expect("each edit has a mark in the body");
    [&bytes[..at], new, &bytes[at + old.len()..]].concat()
}

fn expand_text_lossy(text: &str, placeholders: &Placeholders) -> String {
    String::from_utf8_lossy(&expand(text, placeholders)).trim_matches('"').to_owned()
}

/// Messages may contain these words of the interface.
fn is_interface_word(text: &str) -> bool {
    const WORDS: [&str; 8] =
        ["consumer", "createdBefore", "cursor", "false", "government", "parts", "payments", "split"];
    WORDS.contains(&text)
}

/// Messages may contain amounts: no card has so few digits.
fn is_amount(text: &str) -> bool {
    text.len() <= 12 && text.bytes().all(|it| it.is_ascii_digit())
}
