//! XML documents of other systems, by the encoding that they declare.

use std::borrow::Cow;

use cobro_domain::text::{UnsupportedEncoding, decode_xml};

fn declared(encoding: &str, content: &[u8]) -> Vec<u8> {
    let declaration = format!("<?xml version=\"1.0\" encoding=\"{encoding}\" standalone='yes'?><A>");
    [declaration.as_bytes(), content, b"</A>"].concat()
}

fn decoded(document: &[u8]) -> Result<Cow<'_, str>, &'static str> {
    decode_xml(document).map_err(|UnsupportedEncoding(reason)| reason)
}

#[test]
fn every_supported_encoding_is_decoded_to_utf_8() {
    for (encoding, content, text) in [
        ("UTF8", "é€".as_bytes(), "é€"),
        ("utf8", b"a", "a"),
        ("ASCII", b"caf&#233;", "caf&#233;"),
        ("us-ascii", b"a", "a"),
        ("US-ASCII", b"a", "a"),
        ("ISO-8859-1", b"caf\xe9 \xa0\xff\x80", "café \u{a0}ÿ\u{80}"),
        ("iso-8859-1", b"a", "a"),
        ("latin1", b"\xd1", "Ñ"),
        ("windows-1252", b"\x80 \x93caf\xe9\x94 \x9f", "€ “café” Ÿ"),
        ("CP1252", b"\xf1", "ñ"),
    ] {
        let document = declared(encoding, content);

        let decoded = decoded(&document).unwrap();

        assert_eq!(decoded.as_bytes(), declared("UTF-8", text.as_bytes()), "{encoding}");
        assert_eq!(decode_xml(decoded.as_bytes()), Ok(decoded.clone()), "{encoding}");
    }
}

#[test]
fn utf_8_is_borrowed_unchanged() {
    for document in [
        "",
        "<A>é</A>",
        "<?xml version=\"1.0\"?><A>é</A>",
        "<?xml version='1.0' encoding = 'utf-8'?><A>é</A>",
        "\u{feff}<?xml version='1.0' encoding='Utf-8'?><A>é</A>",
        // Malformed declarations are for the parser to refuse.
        "<?xml encoding='ASCII'?><A>é</A>",
        "<?xml version='1.0'encoding='ASCII'?><A>é</A>",
        "<?xml version='1.0' encoding=ASCII?><A>é</A>",
        "<?xml version='1.0' encoding='ASCII<A>é</A>",
        " <?xml version='1.0' encoding='ASCII'?><A>é</A>",
        "<?xml-stylesheet version='1.0' encoding='ASCII'?><A>é</A>",
    ] {
        assert!(matches!(decoded(document.as_bytes()), Ok(Cow::Borrowed(it)) if it == document), "{document}");
    }
}

#[test]
fn white_space_and_a_byte_order_mark_do_not_hide_the_encoding() {
    let document = "\u{feff}<?xml\r\n version\t=\n'1.0'\n encoding\t= \"UTF8\"\r\n?><A>é</A>";

    assert_eq!(decoded(document.as_bytes()).unwrap(), document.replace("UTF8", "UTF-8"));
}

#[test]
fn other_encodings_and_undefined_bytes_are_refused_by_name() {
    const OTHER: &str = "the document declares another encoding than UTF-8, ASCII, ISO-8859-1 and windows-1252";
    let marked = [b"\xef\xbb\xbf", declared("ISO-8859-1", b"a").as_slice()].concat();

    for (document, reason) in [
        (declared("UTF-8", b"\xe9"), "the document is not UTF-8"),
        (declared("UTF8", b"\xe9"), "the document is not UTF-8"),
        (b"<A>\xe9</A>".to_vec(), "the document is not UTF-8"),
        (declared("ASCII", "é".as_bytes()), "the document declares ASCII and has a byte above 127"),
        (declared("US-ASCII", b"\x80"), "the document declares ASCII and has a byte above 127"),
        (declared("windows-1252", b"\x81"), "the document has a byte that windows-1252 does not define"),
        (declared("windows-1252", b"\x9d"), "the document has a byte that windows-1252 does not define"),
        (marked, "the document has the byte order mark of UTF-8 and declares another encoding"),
        (declared("ISO-8859-15", b"a"), OTHER),
        (declared("UTF-16", b"a"), OTHER),
        (declared("UTF-7", b"a"), OTHER),
        (declared("", b"a"), OTHER),
        (b"\xff\xfe<\0".to_vec(), "the document is in UTF-16, which is not supported"),
        (b"\0<\0?".to_vec(), "the document is in UTF-16, which is not supported"),
    ] {
        assert_eq!(decoded(&document), Err(reason), "{document:?}");
    }
}
