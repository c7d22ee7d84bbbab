use std::{ffi::c_double, fmt, hint::black_box, mem};

use domain::{InvalidRequest, Refusal};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use zeroize::Zeroizing;

use super::Json;
use crate::param::Path;

/// Parses a request body.
///
/// `serde_json` finds the tokens. This reader refuses bodies that another parser could read differently, and bodies that
/// exceed the bounds of [`Json`].
///
/// # Errors
///
/// `parameter_invalid`, with the field where it is known, unless the bytes are one JSON object in UTF-8 without
/// repeated keys, within the bounds of [`Json`]. A byte order mark in front is skipped (RFC 8259, 8.1).
pub fn read(bytes: &[u8]) -> Result<Json, Refusal> {
    let read = parse(bytes);
    wipe_stack();
    read
}

#[inline(never)]
fn parse(bytes: &[u8]) -> Result<Json, Refusal> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let mut progress = Progress { nodes: 0, is_in_token: false, fault: None };
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let body = Node { progress: &mut progress, path: Path::Root, depth: 0 }.deserialize(&mut deserializer);
    match body.and_then(|body| deserializer.end().map(|()| body)) {
        Ok(body @ Json::Object(_)) => Ok(body),
        Ok(_) => Err(fault(Path::Root, "The body must be a JSON object.")),
        Err(_) => Err(progress.fault.unwrap_or_else(|| fault(Path::Root, MALFORMED))),
    }
}

/// Overwrites the stack that the parser used. To find the line of an error, `serde_json` counts line ends in vector
/// registers and saves them on the stack, possibly with a security code.
#[inline(never)]
fn wipe_stack() {
    let mut used = [0_u8; 32 * 1024];
    black_box(&mut used);
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const MALFORMED: &str = "The body is not well-formed JSON.";

struct Progress {
    nodes: usize,
    /// Whether a value has begun whose type is not known yet. An error at this point belongs to this value.
    is_in_token: bool,
    /// Refusal that is more exact than "malformed".
    fault: Option<Refusal>,
}

impl Progress {
    /// Stops the parser with `reason`, which replaces the parser's own error.
    fn refuse<E: Error>(&mut self, path: Path<'_>, reason: &str) -> E {
        self.fault = Some(fault(path, reason));
        E::custom("refused")
    }
}

/// Value that the parser reads next.
struct Node<'a> {
    progress: &'a mut Progress,
    path: Path<'a>,
    /// Number of enclosing objects and arrays.
    depth: usize,
}

impl Node<'_> {
    /// Completes a value without inner values.
    fn leaf<E>(self, leaf: Json) -> Result<Json, E> {
        self.progress.is_in_token = false;
        Ok(leaf)
    }

    /// Begins an object or array. Returns the depth of the inner values.
    fn opens<E: Error>(&mut self) -> Result<usize, E> {
        self.progress.is_in_token = false;
        if self.depth == Json::MAX_DEPTH {
            return Err(self.progress.refuse(Path::Root, "The body nests too deep."));
        }
        Ok(self.depth + 1)
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let Self { progress, path, depth } = self;
        progress.nodes += 1;
        if progress.nodes > Json::MAX_NODES {
            return Err(progress.refuse(Path::Root, "The body holds too many values."));
        }
        progress.is_in_token = true;
        let value = deserializer.deserialize_any(Node { progress: &mut *progress, path, depth });
        if value.is_err() && mem::take(&mut progress.is_in_token) {
            progress.fault = Some(fault(path, MALFORMED));
        }
        value
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        self.leaf(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        self.leaf(Json::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        self.leaf(Json::Integer(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        self.leaf(i64::try_from(value).map_or(Json::Unreadable, Json::Integer))
    }

    // `serde_json` passes every other number as a float, which is dropped.
    fn visit_f64<E: Error>(self, _: c_double) -> Result<Json, E> {
        self.leaf(Json::Unreadable)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        self.leaf(Json::String(Zeroizing::new(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<Json, A::Error> {
        let depth = self.opens()?;
        let mut items = Vec::new();
        loop {
            let path = Path::Item(&self.path, items.len());
            let node = Node { progress: &mut *self.progress, path, depth };
            let Some(item) = array.next_element_seed(node)? else { break };
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Json, A::Error> {
        let depth = self.opens()?;
        let mut fields = Vec::new();
        while let Some(key) = object.next_key::<String>()? {
            if key.len() > Json::MAX_KEY {
                return Err(self.progress.refuse(self.path, "A key is too long."));
            }
            let path = Path::Field(&self.path, &key);
            let value = object.next_value_seed(Node { progress: &mut *self.progress, path, depth })?;
            fields.push((key, value));
        }
        if let Some(key) = repeated_key(&fields) {
            return Err(self.progress.refuse(Path::Field(&self.path, key), "The body names this field twice."));
        }
        Ok(Json::Object(fields))
    }
}

/// Returns a key that occurs twice. Sorting keeps the search cheap for objects with very many keys.
pub(crate) fn repeated_key(fields: &[(String, Json)]) -> Option<&str> {
    let mut keys: Vec<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).find_map(|pair| (pair[0] == pair[1]).then_some(pair[0]))
}

fn fault(path: Path<'_>, reason: &str) -> Refusal {
    Refusal { param: path.param(), ..Refusal::of(InvalidRequest::ParameterInvalid).with_message(reason) }
}
