use cobro_domain::text::{BoundedText, Digits, Email, Prose, WebUrl};
use proptest::prelude::*;

type Description = BoundedText<1, 80>;

#[test]
fn a_line_is_stored_as_received() {
    for text in
        ["CAFÉ CON LECHE", "  Mofongo  ", "Galletas <b>\"Oreo\"</b> & Co", "]]> &#x41; {{7*7}}", "مرحبا", "a\u{200F}b"]
    {
        assert_eq!(Description::parse(text).unwrap().as_str(), text);
    }
}

#[test]
fn a_character_counts_as_one_however_many_bytes_it_takes() {
    assert!(Description::parse(&"🍕".repeat(80)).is_some());
    assert!(Description::parse(&"🍕".repeat(81)).is_none());
    assert!(Description::parse(&"a".repeat(80)).is_some());
    assert!(Description::parse(&"a".repeat(81)).is_none());
}

#[test]
fn the_length_is_that_of_the_text_as_sent() {
    assert!(Description::parse(&format!("{}  ", "a".repeat(78))).is_some());
    assert!(Description::parse(&format!("{}  ", "a".repeat(79))).is_none());
}

#[test]
fn a_line_contains_no_control_characters_breaks_or_direction_marks() {
    let refused = [
        '\0', '\t', '\n', '\r', '\u{1F}', '\u{7F}', '\u{80}', '\u{85}', '\u{9F}', // controls
        '\u{2028}', '\u{2029}', // line and paragraph separator
        '\u{202A}', '\u{202E}', '\u{2066}', '\u{2069}', // reading order
        '\u{FFFE}', '\u{FFFF}', // not in XML 1.0
    ];
    for symbol in refused {
        assert_eq!(Description::parse(&format!("a{symbol}b")), None, "{symbol:?}");
    }
}

#[test]
fn invisible_text_is_no_line() {
    for text in [" ", "   ", "\u{A0}", "\u{3000}\u{2003}", "\u{200B}", "\u{FEFF} \u{AD}", "\u{3164}", "\u{E0041}"] {
        assert_eq!(Description::parse(text), None, "{text:?}");
        assert_eq!(BoundedText::<0, 24>::parse(text), None, "{text:?}");
    }
}

#[test]
fn a_line_is_empty_only_where_that_is_allowed() {
    assert_eq!(Description::parse(""), None);
    assert_eq!(BoundedText::<0, 24>::parse("").unwrap().as_str(), "");
}

#[test]
fn only_ascii_digits_are_digits() {
    type OrderNumber = Digits<1, 20>;

    assert_eq!(OrderNumber::parse("00012").unwrap().as_str(), "00012");
    assert!(OrderNumber::parse(&"9".repeat(20)).is_some());
    for text in ["", "12a", "١٢", "１２", " 1", "-1", "1.0", &"9".repeat(21)] {
        assert_eq!(OrderNumber::parse(text), None, "{text:?}");
    }
}

#[test]
fn prose_may_run_over_lines_and_may_be_empty() {
    for text in ["", "one\r\n\ttwo\nthree", "table 7"] {
        assert_eq!(Prose::parse(text).unwrap().as_str(), text);
    }
    assert!(Prose::parse(&"ñ".repeat(500)).is_some());
    for text in ["\n", "a\0b", "a\u{202E}b", "a\u{FFFF}b", "a\u{1B}[2J", &"ñ".repeat(501)] {
        assert_eq!(Prose::parse(text), None, "{text:?}");
    }
}

#[test]
fn an_address_has_one_at_sign_with_text_on_both_sides() {
    for text in ["ana@ejemplo.do", "o'brien@x.do", "josé+mesa7@ejemplo.do"] {
        assert_eq!(Email::parse(text).unwrap().as_str(), text);
    }
    for text in ["", "@", "a@", "@b", "a@b@c", "a b@c.do", "a@c.do\r\nBcc: x@y.do", "a@c.do ", "a\u{202E}@c.do"] {
        assert_eq!(Email::parse(text), None, "{text:?}");
    }
}

#[test]
fn an_address_has_320_characters_at_most() {
    let of_length = |length: usize| format!("{}@x.do", "a".repeat(length - 5));

    assert!(Email::parse(&of_length(320)).is_some());
    assert!(Email::parse(&of_length(321)).is_none());
}

#[test]
fn the_mailbox_of_an_address_is_not_shown_in_debug_output() {
    let email = Email::parse("ana@ejemplo.do").unwrap();

    assert_eq!(format!("{email:?}"), "Email(…@ejemplo.do)");
}

#[test]
fn a_web_address_is_stored_as_received() {
    let accepted = [
        "https://tienda.do",
        "http://169.254.169.254/",
        "https://tienda.do:8443/a?b=c@d#e",
        "https://[2001:db8::1]/",
        "https://café.do/ñ",
    ];
    for text in accepted {
        assert_eq!(WebUrl::parse(text).unwrap().as_str(), text);
    }
}

#[test]
fn a_web_address_cannot_run_hide_or_mislead() {
    let refused = [
        "",
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://x.do",
        "//x.do",
        "https:/x.do",
        "https://",
        "https:///a",
        "https://:80/",
        "https://?a",
        "http://user:pw@x.do",
        "http://user@x.do/a",
        "https://x.do\\@evil.do",
        "https://x.do/a b",
        "https://x.do/\r\nSet-Cookie: a",
        "ht\ttps://x.do",
        " https://x.do",
        "https://x.do/\u{202E}",
    ];
    for text in refused {
        assert_eq!(WebUrl::parse(text), None, "{text:?}");
    }
}

#[test]
fn a_web_address_has_2048_characters_at_most() {
    let of_length = |length: usize| format!("https://x.do/{}", "a".repeat(length - 13));

    assert!(WebUrl::parse(&of_length(2048)).is_some());
    assert!(WebUrl::parse(&of_length(2049)).is_none());
}

proptest! {
    #[test]
    fn parsed_texts_are_unchanged(text in any::<String>()) {
        if let Some(line) = BoundedText::<0, 40>::parse(&text) {
            prop_assert_eq!(line.as_str(), text.as_str());
            prop_assert!(text.chars().count() <= 40 && !text.chars().any(char::is_control));
            prop_assert_eq!(line.trimmed().is_empty(), text.is_empty());
        }
    }
}

/// New addresses follow the grammar.
#[test]
fn a_new_address_follows_the_grammar_without_a_display_name() {
    for text in [
        "a@b.do",
        "o'brien+mesa7@x.example",
        "josé+mesa7@peluquería.do",
        "a.b.c@d-e.f_g.do",
        "!#$%&'*+-/=?^_`{|}~@x.do",
        "1@2.3",
        &format!("{}@x.do", "a".repeat(64)),
        &format!("a@{}.do", "b".repeat(63)),
    ] {
        assert_eq!(Email::written(text).map(|it| it.as_str().to_owned()), Some(text.to_owned()));
        assert_eq!(Email::recipient(text), Email::written(text));
    }
    for text in [
        "\"a,b<>\"@x.do",
        "\"a\\\"b\"@x.do",
        "a@b",
        "a@b.",
        "a@.b",
        "a@b..do",
        ".a@b.do",
        "a.@b.do",
        "a..b@c.do",
        "a@-b.do",
        "a@b-.do",
        "a@b.d!",
        "a,b@c.do",
        "a(b)@c.do",
        "a:b@c.do",
        "<a@b.do",
        "a@b.do>",
        "a@[127.0.0.1]",
        "a@b,c.do",
        "\"\"@b.do",
        "\"@b.do",
        "\"a@b.do",
        "a\"@b.do",
        "\"a\"b\"@c.do",
        "\"a\\\"@b.do",
        "a@b@c.do",
        "a b@c.do",
        &format!("{}@x.do", "a".repeat(65)),
        &format!("{}@x.do", "é".repeat(33)),
        &format!("a@{}.do", "b".repeat(64)),
        &format!("a@{}.do", vec!["b".repeat(60); 5].join(".")),
    ] {
        assert_eq!(Email::written(text), None, "{text}");
    }
}

/// Mail is handed over for shorter addresses than there may be.
#[test]
fn a_recipient_is_short_enough_to_be_written_to() {
    let domain = format!("{}.{}.{}.do", "b".repeat(62), "c".repeat(62), "d".repeat(60));
    let fits = format!("{}@{domain}", "a".repeat(64));
    let too_long = format!("{fits}n");

    assert_eq!((fits.len(), too_long.len()), (254, 255));
    assert!(Email::recipient(&fits).is_some());
    assert!(Email::written(&too_long).is_some());
    assert_eq!(Email::recipient(&too_long), None);
}
