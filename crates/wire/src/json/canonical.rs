use zeroize::Zeroizing;

use super::Json;

/// Returns the canonical bytes of `body` (RFC 8785): keys in order of their UTF-16 units, no white space, one form of
/// each character. Two bodies have the same bytes exactly if their values are equal; an absent field and `null` differ.
///
/// Integers of 64 bits keep their digits where the RFC would round them to a double.
///
/// Omits the values of the top-level fields in `skip`, because a fingerprint must not depend on a card.
pub fn canonical(body: &Json, skip: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(body, skip, &mut bytes);
    bytes
}

/// Returns the canonical bytes of a secret value, in memory that is wiped when dropped.
pub(crate) fn canonical_secret(value: &Json) -> Zeroizing<Vec<u8>> {
    // The capacity suffices from the start, because a vector that grows leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(max_length(value)));
    write(value, &[], &mut bytes);
    bytes
}

/// Upper bound of the canonical length. The longest escape of a byte has six bytes.
fn max_length(value: &Json) -> usize {
    let text = |text: &str| 6 * text.len() + 2;
    match value {
        Json::Null | Json::Bool(_) | Json::Integer(_) | Json::Unreadable => 20,
        Json::String(string) => text(string),
        Json::Array(items) => 2 + items.iter().map(|item| max_length(item) + 1).sum::<usize>(),
        Json::Object(fields) => 2 + fields.iter().map(|(key, item)| text(key) + max_length(item) + 2).sum::<usize>(),
    }
}

fn write(value: &Json, skip: &[&str], bytes: &mut Vec<u8>) {
    match value {
        Json::Null => bytes.extend(b"null"),
        Json::Bool(true) => bytes.extend(b"true"),
        Json::Bool(false) => bytes.extend(b"false"),
        Json::Integer(number) => bytes.extend(number.to_string().bytes()),
        // Every reader refuses such a number, so no request with one gets a fingerprint.
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

/// Escapes only the characters that JSON requires to be escaped.
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
