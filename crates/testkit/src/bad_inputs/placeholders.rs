use super::Placeholders;

/// Expands the expressions in braces in `text`.
///
/// `{NAME}` is a placeholder; `{NAME short}`, `{NAME flipped}` and `{NAME torn}` are its value without the last
/// character, with another character in the middle, and with a space in the middle. `{bytes c0 80}` are bytes, and
/// `{times 3}x{end}` is `xxx`. Every other brace stays.
pub(super) fn expand(text: &str, placeholders: &Placeholders) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        rest = match expand_expression(rest, placeholders) {
            Some((value, after)) => {
                bytes.extend(value);
                after
            }
            None => {
                bytes.push(b'{');
                &rest[1..]
            }
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Like [`expand`], as text.
pub(super) fn expand_text(text: &str, placeholders: &Placeholders) -> String {
    String::from_utf8(expand(text, placeholders)).unwrap_or_else(|_| panic!("not UTF-8 after the expansion: {text}"))
}

/// Returns the placeholders in `text`.
pub(super) fn placeholders_in(text: &str) -> Vec<&str> {
    let words = text.split('{').skip(1).filter_map(|it| it.split_once('}'));
    words.map(|(inside, _)| inside.split(' ').next().unwrap_or_default()).filter(|it| is_name(it)).collect()
}

/// Returns the value of an expression after a brace, and the remaining text.
fn expand_expression<'a>(text: &'a str, placeholders: &Placeholders) -> Option<(Vec<u8>, &'a str)> {
    let (inside, after) = text.strip_prefix('{')?.split_once('}')?;
    let (word, argument) = inside.split_once(' ').unwrap_or((inside, ""));
    match word {
        "bytes" => Some((argument.split(' ').map(byte).collect(), after)),
        "times" => {
            let count = argument.parse().unwrap_or_else(|_| panic!("not a number: {argument}"));
            let (repeated, after) = after.split_once("{end}").expect("a repetition has an end");
            Some((expand(repeated, placeholders).repeat(count), after))
        }
        name if is_name(name) => {
            let value = placeholders.get(name).unwrap_or_else(|| panic!("unknown placeholder {name}"));
            Some((vary(value, argument).into_bytes(), after))
        }
        _ => None,
    }
}

fn is_name(word: &str) -> bool {
    let is_symbol = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
    word.starts_with(|it: char| it.is_ascii_uppercase()) && word.bytes().all(is_symbol)
}

fn byte(text: &str) -> u8 {
    u8::from_str_radix(text, 16).unwrap_or_else(|_| panic!("not a byte: {text}"))
}

fn vary(value: &str, variation: &str) -> String {
    let (head, tail) = value.split_at(value.len() / 2);
    let other = if tail.starts_with('a') { 'b' } else { 'a' };
    match variation {
        "" => value.to_owned(),
        "short" => value[..value.len() - 1].to_owned(),
        "flipped" => format!("{head}{other}{}", &tail[1..]),
        "torn" => format!("{head} {tail}"),
        _ => panic!("unknown variation: {variation}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_put_in_their_place() {
        let placeholders = Placeholders::from([("KEY".to_owned(), "abcd".to_owned())]);
        let rows: [(&str, &[u8]); 8] = [
            ("{KEY}", b"abcd"),
            ("{KEY short}/{KEY flipped}/{KEY torn}", b"abc/abad/ab cd"),
            ("{bytes c0 80}", &[0xc0, 0x80]),
            ("[{times 3}{KEY},{end}0]", b"[abcd,abcd,abcd,0]"),
            (r#"{"a":{}}"#, br#"{"a":{}}"#),
            ("{{7*7}} ${jndi:x}", b"{{7*7}} ${jndi:x}"),
            ("{times 2}{\"a\":{end}", br#"{"a":{"a":"#),
            ("{", b"{"),
        ];

        for (text, expected) in rows {
            assert_eq!(expand(text, &placeholders), expected, "{text}");
        }
        assert_eq!(placeholders_in("{KEY} {times 2}{P}{end} {\"a\":1}"), ["KEY", "P"]);
    }
}
