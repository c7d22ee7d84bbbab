//! What is code in a Rust file, as opposed to comments and texts.

/// The same file with its comments, string and character literals blanked out, line by line as it was. Words and
/// braces that are left are the compiler's.
pub(crate) fn code_of(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = at + length_of_text(bytes, at);
        if end == at {
            at += 1;
            continue;
        }
        for byte in &mut code[at..end.min(bytes.len())] {
            // Line breaks stay, so that lines can be counted.
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    String::from_utf8(code).expect("whole literals are blanked, so no character is cut in two")
}

/// How long a comment or literal starts at `at`; 0 if none does.
fn length_of_text(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let inside_a_word = at > 0 && is_word(bytes[at - 1]);
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => length_of_comment(rest),
        [b'"', ..] => length_of_quoted(rest, b'"'),
        [b'r', b'"' | b'#', ..] if !inside_a_word => length_of_raw(rest),
        [b'b', b'r', b'"' | b'#', ..] if !inside_a_word => 1 + length_of_raw(&rest[1..]),
        // A lifetime has no closing quote: `'a'` and `'\n'` are characters, `'a` is not.
        [b'\'', b'\\', ..] => length_of_quoted(rest, b'\''),
        [b'\'', first, ..] if *first != b'\'' && rest.get(1 + width(*first)) == Some(&b'\'') => 2 + width(*first),
        _ => 0,
    }
}

/// `"…"` or `'…'`, in which a backslash hides the character after it.
fn length_of_quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// `r"…"` or `r#"…"#`, which ends at a quote with as many signs; 0 for `r#type`, which is a name.
fn length_of_raw(rest: &[u8]) -> usize {
    let signs = rest[1..].iter().take_while(|&&byte| byte == b'#').count();
    if rest.get(1 + signs) != Some(&b'"') {
        return 0;
    }
    let end = [&b"\""[..], &b"#".repeat(signs)].concat();
    let start = signs + 2;
    let found = rest[start..].windows(end.len()).position(|window| window == end);
    found.map_or(rest.len(), |position| start + position + end.len())
}

/// `/* … */`, which may hold another.
fn length_of_comment(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// How many bytes the character has that begins with `first`.
fn width(first: u8) -> usize {
    match first {
        0..=0x7F => 1,
        0x80..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
    }
}

/// Whether a byte can stand in a Rust name.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[test]
fn comments_and_literals_are_no_code() {
    check("a // b\nc", "a     \nc");
    check("a /* b /* c */\n */ d", "a             \n    d");
    check(r#"f("{", '{', '\'', '"', b'x')"#, "f(   ,    ,     ,    , b   )");
    check(r##"f(r"\", r#""{"#, br"{")"##, "f(    ,        ,      )");
    check("fn f<'a>(x: &'a str, r#type: u8)", "fn f<'a>(x: &'a str, r#type: u8)");
    check("'ñ' + 'a'", "     +    ");
    check(r#""never closed"#, "             ");
}

#[track_caller]
fn check(text: &str, code: &str) {
    assert_eq!(code_of(text), code);
}
