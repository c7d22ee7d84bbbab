//! Trailer fields of chunked requests (RFC 9112, 7.1.2): the HTTP library refuses them, so a connection drops them.

use std::mem;

/// Maximum length of a head in bytes, equal to the library's limit.
const MAX_HEAD: usize = 128 * 1024;
/// Maximum length of the dropped trailer fields of a request, in bytes; the library refuses longer ones.
const MAX_TRAILERS: usize = 8 * 1024;
/// Maximum number of header fields, equal to the library's limit.
const MAX_FIELDS: usize = 96;

/// Follows the framing of the requests of one connection and drops their trailer fields.
///
/// The parser is as strict as the library. After unrecognised bytes everything passes unchanged, and
/// the library decides.
#[derive(Default)]
pub(crate) struct Trailers(State);

/// State of the parser at the next byte of a connection.
enum State {
    /// Inside a head, with the bytes so far.
    Head(Vec<u8>),
    /// Inside a body of known length, with the remaining number of bytes.
    Body(u64),
    Chunked(Chunk),
    /// Not recognised: all bytes pass.
    Unrecognised,
}

/// State of the parser inside a chunked body. Trailer fields count the dropped bytes.
#[derive(Clone, Copy)]
enum Chunk {
    FirstDigit,
    Digits(u64),
    Extension(u64),
    SizeLf(u64),
    Data(u64),
    DataCr,
    DataLf,
    /// At the start of a trailer field, or of the empty line that ends the body.
    Line(usize),
    Name(usize),
    Value(usize),
    ValueLf(usize),
    EndLf,
}

impl Default for State {
    fn default() -> Self {
        Self::Head(Vec::new())
    }
}

impl Trailers {
    /// Moves the retained bytes of `bytes`, which arrived last, to the front. Returns their number.
    pub(crate) fn drop_from(&mut self, bytes: &mut [u8]) -> usize {
        let (mut retained, mut at) = (0, 0);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let taken = match self.0.advance(rest) {
                Step::Keep(many) => {
                    bytes.copy_within(at..at + many, retained);
                    retained += many;
                    many
                }
                Step::Drop => 1,
                Step::Refuse => {
                    // After dropped bytes, the library would accept this byte as the end of the body.
                    bytes[retained] = 0;
                    retained += 1;
                    1
                }
            };
            at += taken;
        }
        retained
    }
}

/// Action for the next bytes.
enum Step {
    /// This number of bytes is retained.
    Keep(usize),
    /// One byte is dropped.
    Drop,
    /// One byte is replaced by a byte that cannot end a body.
    Refuse,
}

impl State {
    /// Advances past the first of `bytes`.
    fn advance(&mut self, bytes: &[u8]) -> Step {
        match self {
            Self::Head(head) => {
                let taken = end_of_head(head, bytes);
                *self = after_head(mem::take(head));
                Step::Keep(taken)
            }
            Self::Body(left) | Self::Chunked(Chunk::Data(left)) => {
                let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                *left -= taken as u64;
                match self {
                    Self::Body(0) => *self = Self::default(),
                    Self::Chunked(Chunk::Data(0)) => *self = Self::Chunked(Chunk::DataCr),
                    _ => {}
                }
                Step::Keep(taken)
            }
            Self::Chunked(chunk) => {
                let (before, next) = (chunk.dropped(), chunk.after(bytes.first().copied().unwrap_or_default()));
                let after = match &next {
                    Some(Self::Chunked(chunk)) => chunk.dropped(),
                    _ => 0,
                };
                let step = match &next {
                    Some(_) if after > before => Step::Drop,
                    None if before > 0 => Step::Refuse,
                    _ => Step::Keep(1),
                };
                *self = next.unwrap_or(Self::Unrecognised);
                step
            }
            Self::Unrecognised => Step::Keep(bytes.len()),
        }
    }
}

/// Adds the bytes up to the end of the head, if present. Returns their number.
fn end_of_head(head: &mut Vec<u8>, bytes: &[u8]) -> usize {
    for (at, &byte) in bytes.iter().enumerate() {
        // Empty lines before a request are skipped.
        if !(head.is_empty() && matches!(byte, b'\r' | b'\n')) {
            head.push(byte);
        }
        if head.ends_with(b"\r\n\r\n") || head.len() > MAX_HEAD {
            return at + 1;
        }
    }
    bytes.len()
}

/// State after a complete head: the body, or the next head.
fn after_head(head: Vec<u8>) -> State {
    if head.len() > MAX_HEAD {
        return State::Unrecognised;
    }
    if !head.ends_with(b"\r\n\r\n") {
        return State::Head(head);
    }
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let is_whole = request.parse(&head).is_ok_and(|it| it == httparse::Status::Complete(head.len()));
    if !is_whole || request.version != Some(1) || request.method == Some("CONNECT") {
        return State::Unrecognised;
    }
    let values = |name: &str| {
        let named = request.headers.iter().filter(|it| it.name.eq_ignore_ascii_case(name)).map(|it| it.value);
        named.collect::<Vec<_>>()
    };
    match (&*values("transfer-encoding"), &*values("content-length"), &*values("upgrade")) {
        ([coding], [], []) if coding.eq_ignore_ascii_case(b"chunked") => State::Chunked(Chunk::FirstDigit),
        ([], [length], []) => match std::str::from_utf8(length).ok().and_then(|it| it.parse().ok()) {
            None => State::Unrecognised,
            Some(0) => State::default(),
            Some(length) => State::Body(length),
        },
        ([], [], []) => State::default(),
        _ => State::Unrecognised,
    }
}

impl Chunk {
    /// State after `byte`; `None` if `byte` is not allowed here.
    fn after(self, byte: u8) -> Option<State> {
        let digit = char::from(byte).to_digit(16).map(u64::from);
        let next = match (self, byte) {
            (Self::FirstDigit, _) => Self::Digits(digit?),
            (Self::Digits(size) | Self::Extension(size), b'\r') => Self::SizeLf(size),
            (Self::Digits(size), b'\t' | b' ' | b';') => Self::Extension(size),
            (Self::Digits(size), _) => Self::Digits(size.checked_mul(16)?.checked_add(digit?)?),
            (Self::Extension(_), _) if is_text(byte) => self,
            (Self::SizeLf(0), b'\n') => Self::Line(0),
            (Self::SizeLf(size), b'\n') => Self::Data(size),
            (Self::DataCr, b'\r') => Self::DataLf,
            (Self::DataLf, b'\n') => Self::FirstDigit,
            (Self::Line(_), b'\r') => Self::EndLf,
            (Self::EndLf, b'\n') => return Some(State::default()),
            _ => Self::in_trailers(self, byte).filter(|it| it.dropped() <= MAX_TRAILERS)?,
        };
        Some(State::Chunked(next))
    }

    fn in_trailers(self, byte: u8) -> Option<Self> {
        let dropped = self.dropped() + 1;
        match (self, byte) {
            (Self::Line(_) | Self::Name(_), _) if is_token(byte) => Some(Self::Name(dropped)),
            (Self::Name(_), b':') => Some(Self::Value(dropped)),
            (Self::Value(_), b'\r') => Some(Self::ValueLf(dropped)),
            (Self::Value(_), _) if is_text(byte) => Some(Self::Value(dropped)),
            (Self::ValueLf(_), b'\n') => Some(Self::Line(dropped)),
            _ => None,
        }
    }

    /// Number of dropped bytes of trailer fields.
    const fn dropped(self) -> usize {
        match self {
            Self::Line(dropped) | Self::Name(dropped) | Self::Value(dropped) | Self::ValueLf(dropped) => dropped,
            _ => 0,
        }
    }
}

/// Whether the byte may occur in a field's name.
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

/// Whether the byte may occur in a field's value.
const fn is_text(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "POST /v1/payments HTTP/1.1\r\nhost: x\r\nTransfer-Encoding: Chunked\r\n\r\n";
    const NEXT: &str = "POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n0\r\nx: y\r\nGET / HTTP/1.1\r\n\r\n";

    /// Returns the retained part of `bytes` that arrive `step` at a time.
    fn retained(bytes: &str, step: usize) -> String {
        let mut trailers = Trailers::default();
        let mut retained = Vec::new();
        for part in bytes.as_bytes().chunks(step) {
            let mut part = part.to_vec();
            let length = trailers.drop_from(&mut part);
            retained.extend(&part[..length]);
        }
        String::from_utf8(retained).unwrap()
    }

    #[test]
    fn trailer_fields_are_dropped_and_everything_else_stays() {
        let body = "2;a=b\r\n{}\r\nA\r\n0\r\nx: y\r\n\r\r\n00\r\n";
        let sent = format!("\r\n{HEAD}{body}X-Checksum: a b\r\nExpires:\r\n\r\n{NEXT}{HEAD}0\r\n\r\n{NEXT}");
        let right = format!("\r\n{HEAD}{body}\r\n{NEXT}{HEAD}0\r\n\r\n{NEXT}");
        for step in [1, 2, 3, 7, 64, 4096] {
            assert_eq!(retained(&sent, step), right, "{step} bytes at a time");
        }
    }

    #[test]
    fn a_broken_trailer_leaves_a_body_that_is_refused() {
        for end in
            ["x\r\n\r\n", "x: y\r\n\n", "x: y\n\r\n", " x: y\r\n\r\n", "x y: z\r\n\r\n", "x: \u{1}\r\n\r\n", "\n\r\n"]
        {
            let rest = retained(&format!("{HEAD}0\r\n{end}{NEXT}"), 5);
            let after = rest.strip_prefix(&format!("{HEAD}0\r\n")).unwrap();
            assert!(!after.starts_with('\r'), "{end:?} became {after:?}");
        }
        let long = format!("{HEAD}0\r\nx: {}\r\n\r\n", "y".repeat(MAX_TRAILERS));
        assert!(!retained(&long, 4096).ends_with("0\r\n\r\n"));
    }

    #[test]
    fn bytes_that_are_not_known_to_be_chunked_are_unchanged() {
        for head in [
            "POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\ncontent-length: 1\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nupgrade: x\r\n\r\n",
            "POST / HTTP/1.1\n\nPOST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
        ] {
            let sent = format!("{head}0\r\nx: y\r\n\r\n");
            assert_eq!(retained(&sent, 11), sent);
        }
    }
}
