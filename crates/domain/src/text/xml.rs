//! XML documents of other systems, decoded to UTF-8.

use std::{borrow::Cow, ops::Range};

/// The encoding of a document is not supported, or does not define its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnsupportedEncoding(pub &'static str);

/// Returns an XML document as UTF-8, with `UTF-8` as the encoding in its XML declaration.
///
/// Supports UTF-8, ASCII, ISO-8859-1 and windows-1252. A document that declares no encoding is UTF-8. The text is the
/// input of every later step, so that signature, schema and values are checked on the same characters. Decoding the
/// text again returns the same text.
///
/// ```
/// use cobro_domain::text::decode_xml;
///
/// let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><A>caf\xe9</A>";
///
/// assert_eq!(decode_xml(latin).unwrap(), "<?xml version='1.0' encoding='UTF-8'?><A>café</A>");
/// assert!(decode_xml(b"<?xml version='1.0' encoding='ASCII'?><A>caf\xe9</A>").is_err());
/// ```
///
/// # Errors
///
/// [`UnsupportedEncoding`] for any other encoding, and for bytes that the declared encoding does not define.
pub fn decode_xml(document: &[u8]) -> Result<Cow<'_, str>, UnsupportedEncoding> {
    if UTF_16.iter().any(|start| document.starts_with(start)) {
        return Err(UnsupportedEncoding("the document is in UTF-16, which is not supported"));
    }
    let (mark, content) = match document.strip_prefix(BYTE_ORDER_MARK) {
        Some(content) => (BYTE_ORDER_MARK.len(), content),
        None => (0, document),
    };
    let Some(name) = encoding_name(content) else { return utf_8(document).map(Cow::Borrowed) };
    let name = name.start.saturating_add(mark)..name.end.saturating_add(mark);
    let (before, label) = (document.get(..name.start), document.get(name.clone()).unwrap_or_default());
    let after = document.get(name.end..).unwrap_or_default();
    let encoding = Encoding::of(label)?;
    if mark > 0 && encoding != Encoding::Utf8 {
        return Err(UnsupportedEncoding("the document has the byte order mark of UTF-8 and declares another encoding"));
    }
    if label.eq_ignore_ascii_case(b"utf-8") {
        return utf_8(document).map(Cow::Borrowed);
    }
    // Up to the name there is the declaration alone, which is ASCII.
    Ok(Cow::Owned([utf_8(before.unwrap_or_default())?, "UTF-8", &encoding.decode(after)?].concat()))
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The first bytes of a document in UTF-16: a byte order mark, or `<` in two bytes.
const UTF_16: [&[u8]; 4] = [b"\xfe\xff", b"\xff\xfe", b"\0<", b"<\0"];

fn utf_8(bytes: &[u8]) -> Result<&str, UnsupportedEncoding> {
    std::str::from_utf8(bytes).map_err(|_| UnsupportedEncoding("the document is not UTF-8"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Ascii,
    Latin1,
    Windows1252,
}

impl Encoding {
    fn of(label: &[u8]) -> Result<Self, UnsupportedEncoding> {
        let label = label.to_ascii_lowercase();
        match label.as_slice() {
            b"utf-8" | b"utf8" => Ok(Self::Utf8),
            b"ascii" | b"us-ascii" => Ok(Self::Ascii),
            b"iso-8859-1" | b"iso8859-1" | b"iso_8859-1" | b"latin1" => Ok(Self::Latin1),
            b"windows-1252" | b"cp1252" => Ok(Self::Windows1252),
            _ => Err(UnsupportedEncoding(
                "the document declares another encoding than UTF-8, ASCII, ISO-8859-1 and windows-1252",
            )),
        }
    }

    fn decode(self, bytes: &[u8]) -> Result<Cow<'_, str>, UnsupportedEncoding> {
        match self {
            Self::Utf8 => utf_8(bytes).map(Cow::Borrowed),
            Self::Ascii if bytes.is_ascii() => utf_8(bytes).map(Cow::Borrowed),
            Self::Ascii => Err(UnsupportedEncoding("the document declares ASCII and has a byte above 127")),
            Self::Latin1 => Ok(Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect())),
            Self::Windows1252 => {
                let text = bytes.iter().map(|&byte| windows_1252(byte)).collect::<Option<String>>();
                let undefined = "the document has a byte that windows-1252 does not define";
                text.map(Cow::Owned).ok_or(UnsupportedEncoding(undefined))
            }
        }
    }
}

/// The characters of the bytes 80 to 9F in windows-1252; a space for the five bytes that have none.
///
/// Source: Unicode Consortium, *cp1252 to Unicode table*.
const WINDOWS_1252: [char; 32] = [
    '€', ' ', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', ' ', 'Ž', ' ', ' ', '‘', '’', '“', '”', '•', '–',
    '—', '˜', '™', 'š', '›', 'œ', ' ', 'ž', 'Ÿ',
];

fn windows_1252(byte: u8) -> Option<char> {
    let Some(place) = byte.checked_sub(0x80) else { return Some(char::from(byte)) };
    let special = WINDOWS_1252.get(usize::from(place)).copied();
    special.map_or(Some(char::from(byte)), |it| (it != ' ').then_some(it))
}

/// Returns the position of the encoding in the XML declaration at the start of a document. `None` if the declaration is
/// missing, has no encoding, or is malformed: a parser of the text refuses the last.
fn encoding_name(document: &[u8]) -> Option<Range<usize>> {
    let inside = document.strip_prefix(b"<?xml")?;
    let end = inside.windows(2).position(|it| it == b"?>")?;
    let inside = std::str::from_utf8(inside.get(..end)?).ok()?;
    let (_, rest) = attribute(inside, "version")?;
    let (name, rest) = attribute(rest, "encoding")?;
    // After the name come the quote and the rest.
    let end = b"<?xml".len() + inside.len() - rest.len() - 1;
    Some(end - name.len()..end)
}

/// Returns the value of the attribute with which a declaration continues, and the text after the attribute.
fn attribute<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
    let rest = text.strip_prefix(SPACE)?.trim_start_matches(SPACE).strip_prefix(name)?;
    let rest = rest.trim_start_matches(SPACE).strip_prefix('=')?.trim_start_matches(SPACE);
    let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    rest.get(1..)?.split_once(quote)
}
