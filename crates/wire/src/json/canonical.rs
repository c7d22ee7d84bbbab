use zeroize::Zeroizing;

use super::Json;

/// The bytes that stand for `body`, however it was spelled, as RFC 8785 writes them: keys in order of their UTF-16
/// units, no white space, one way to write each character. Two bodies have the same bytes exactly if they say the
/// same; an absent field and `null` differ.
///
/// Our numbers are whole ones of 64 bits, and keep their digits where the RFC would round them to a double.
///
/// Of the top-level fields named in `skip` the value is left out: a fingerprint must not depend on a card.
pub fn canonical(body: &Json, skip: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(body, skip, &mut bytes);
    bytes
}

/// The same bytes for what is secret: they are wiped when they are dropped.
pub(crate) fn canonical_secret(value: &Json) -> Zeroizing<Vec<u8>> {
    // Room for all of it: a vector that grows leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(room(value)));
    write(value, &[], &mut bytes);
    bytes
}

/// At least as many bytes as the value needs. The longest escape of a byte has six.
fn room(value: &Json) -> usize {
    let text = |text: &str| 6 * text.len() + 2;
    match value {
        Json::Null | Json::Bool(_) | Json::Integer(_) | Json::Unreadable => 20,
        Json::String(it) => text(it),
        Json::Array(items) => 2 + items.iter().map(|item| room(item) + 1).sum::<usize>(),
        Json::Object(fields) => 2 + fields.iter().map(|(key, item)| text(key) + room(item) + 2).sum::<usize>(),
    }
}

fn write(value: &Json, skip: &[&str], bytes: &mut Vec<u8>) {
    match value {
        Json::Null => bytes.extend(b"null"),
        Json::Bool(true) => bytes.extend(b"true"),
        Json::Bool(false) => bytes.extend(b"false"),
        Json::Integer(number) => bytes.extend(number.to_string().bytes()),
        // No field takes such a number, so a body that holds one is refused before it is fingerprinted.
        Json::Unreadable => bytes.push(b'?'),
        Json::String(text) => write_text(text, bytes),
        Json::Array(items) => {
            write_all(items, *b"[]", bytes, |item, bytes| write(item, &[], bytes));
        }
        Json::Object(fields) => {
            let mut sorted: Vec<&(String, Json)> = fields.iter().collect();
            sorted.sort_unstable_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            write_all(sorted, *b"{}", bytes, |(key, value), bytes| {
                write_text(key, bytes);
                bytes.push(b':');
                if !skip.contains(&key.as_str()) {
                    write(value, &[], bytes);
                }
            });
        }
    }
}

fn write_all<T>(
    items: impl IntoIterator<Item = T>,
    [open, close]: [u8; 2],
    bytes: &mut Vec<u8>,
    write_one: impl Fn(T, &mut Vec<u8>),
) {
    bytes.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        write_one(item, bytes);
    }
    bytes.push(close);
}

/// Escapes only what has to be.
fn write_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => bytes.extend([b'\\', byte]),
            0x08 => bytes.extend(b"\\b"),
            b'\t' => bytes.extend(b"\\t"),
            b'\n' => bytes.extend(b"\\n"),
            0x0C => bytes.extend(b"\\f"),
            b'\r' => bytes.extend(b"\\r"),
            0..0x20 => bytes.extend(format!("\\u{byte:04x}").bytes()),
            _ => bytes.push(byte),
        }
    }
    bytes.push(b'"');
}
