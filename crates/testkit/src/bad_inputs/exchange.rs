use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU32, Ordering},
};

use serde::Deserialize;

use super::{
    Placeholders,
    words::{expand, expand_text, names_in},
};
use crate::json::{with, without};

/// A request and what is due to it, as it is written down.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchange {
    /// What happens to the world before.
    #[serde(default)]
    pub(super) first: Vec<String>,
    /// Method and target.
    #[serde(default)]
    send: String,
    /// Whose credential.
    #[serde(default, rename = "as")]
    who: String,
    /// Headers that are sent instead of those of the same name.
    #[serde(default)]
    set: Vec<String>,
    /// Headers that are sent beside them.
    #[serde(default)]
    add: Vec<String>,
    /// Headers that are not sent.
    #[serde(default)]
    drop: Vec<String>,
    #[serde(default)]
    body: String,
    /// Values of the body, by their place in it, as raw JSON.
    #[serde(default)]
    edit: BTreeMap<String, String>,
    /// Places that the body does not have.
    #[serde(default)]
    cut: Vec<String>,
    /// Everything, to the byte.
    #[serde(default)]
    raw: String,
    /// How many of it are sent at once.
    #[serde(default = "one")]
    pub(super) copies: usize,
    /// What is told.
    pub(super) expect: String,
    /// Headers, or places in the body, and what is there.
    #[serde(default)]
    pub(super) says: BTreeMap<String, String>,
    /// What is nowhere in the answer.
    #[serde(default)]
    pub(super) lacks: Vec<String>,
    /// Values of the answer that later requests speak of.
    #[serde(default)]
    pub(super) keep: BTreeMap<String, String>,
    /// What grows.
    #[serde(default = "nothing")]
    pub(super) effect: String,
    /// What happens to the world afterwards.
    #[serde(default)]
    pub(super) then: Vec<String>,
}

fn one() -> usize {
    1
}

fn nothing() -> String {
    "nothing".to_owned()
}

impl Exchange {
    /// The bytes of the request, and what is in it that no message may repeat.
    pub(super) fn request(&self, names: &Placeholders) -> (Vec<u8>, Vec<String>) {
        if !self.raw.is_empty() {
            return (expand(&self.raw, names), Vec::new());
        }
        let body = self.body(names);
        let headers = self.headers(names, &body);
        let send = expand_text(&self.send, names);
        let mut bytes = format!("{send} HTTP/1.1\r\n").into_bytes();
        for (name, value) in &headers {
            bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        let given = headers.iter().filter(|(name, _)| !["host", "content-type", "connection"].contains(&name.as_str()));
        let mut texts: Vec<String> = given.map(|(_, value)| String::from_utf8_lossy(value).into_owned()).collect();
        texts.extend(send.split([' ', '/', '?', '&', '=']).skip(1).map(str::to_owned));
        texts.extend(self.edit.values().map(|it| expand_text_lossy(it, names)));
        texts.retain(|it| it.len() > 4 && !is_word_of_ours(it) && !is_amount(it));
        ([&bytes, &b"\r\n"[..], &body].concat(), texts)
    }

    /// The names that it speaks of.
    pub(super) fn names(&self) -> Vec<&str> {
        let lists = [&self.set, &self.add].into_iter().flatten();
        let edits = self.edit.iter().flat_map(|(place, value)| [place, value]);
        let says = self.says.iter().flat_map(|(place, value)| [place, value]);
        let texts = [&self.send, &self.body, &self.raw].into_iter().chain(lists).chain(edits).chain(says);
        let who = (!self.who.is_empty()).then_some(self.who.as_str());
        texts.flat_map(|it| names_in(it)).chain(who).collect()
    }

    fn headers(&self, names: &Placeholders, body: &[u8]) -> Vec<(String, Vec<u8>)> {
        static KEYS: AtomicU32 = AtomicU32::new(1);
        let mut headers = Vec::new();
        let mut put = |name: &str, value: String| headers.push((name.to_owned(), value.into_bytes()));
        put("host", names["HOST"].clone());
        put("connection", "close".to_owned());
        if !self.who.is_empty() {
            put("authorization", format!("Bearer {}", expand_text(&format!("{{{}}}", self.who), names)));
        }
        if self.send.starts_with('P') {
            put("content-type", "application/json".to_owned());
            put("idempotency-key", format!("a-key-of-its-own-{}", KEYS.fetch_add(1, Ordering::Relaxed)));
        }
        if !body.is_empty() {
            put("content-length", body.len().to_string());
        }
        let set: Vec<(String, Vec<u8>)> = self.set.iter().map(|it| line(it, names)).collect();
        for (name, value) in set {
            // Of what is set twice, the last word holds.
            headers.retain(|(it, _)| *it != name);
            headers.push((name, value));
        }
        headers.retain(|(name, _)| !self.drop.contains(name));
        headers.extend(self.add.iter().map(|it| line(it, names)));
        headers
    }

    fn body(&self, names: &Placeholders) -> Vec<u8> {
        if self.edit.is_empty() && self.cut.is_empty() {
            return expand(&self.body, names);
        }
        let mut body = expand_text(&self.body, names);
        for place in &self.cut {
            body = without(&body, place);
        }
        for (index, place) in self.edit.keys().enumerate() {
            body = with(&body, &expand_text(place, names), &format!("\"<edit {index}>\""));
        }
        let mut bytes = body.into_bytes();
        for (index, value) in self.edit.values().enumerate() {
            bytes = replaced(&bytes, format!("\"<edit {index}>\"").as_bytes(), &expand(value, names));
        }
        bytes
    }
}

fn line(text: &str, names: &Placeholders) -> (String, Vec<u8>) {
    let (name, value) = text.split_once(": ").unwrap_or_else(|| panic!("a header, not {text}"));
    (name.to_owned(), expand(value, names))
}

/// `bytes` with `new` instead of the one `old`.
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = bytes.windows(old.len()).position(|it| it == old).expect("an edit has a place");
    [&bytes[..at], new, &bytes[at + old.len()..]].concat()
}

fn expand_text_lossy(text: &str, names: &Placeholders) -> String {
    String::from_utf8_lossy(&expand(text, names)).trim_matches('"').to_owned()
}

/// Placeholders of the interface and of its operations may be in a message.
fn is_word_of_ours(text: &str) -> bool {
    const WORDS: [&str; 8] =
        ["consumer", "createdBefore", "cursor", "false", "government", "parts", "payments", "split"];
    WORDS.contains(&text)
}

/// A message may say what does not add up: no card has so few digits.
fn is_amount(text: &str) -> bool {
    text.len() <= 12 && text.bytes().all(|it| it.is_ascii_digit())
}
