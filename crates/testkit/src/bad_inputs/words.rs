use super::Placeholders;

/// `text` with everything in braces put in its place.
///
/// `{NAME}` is a value of the world; `{NAME short}`, `{NAME flipped}` and `{NAME torn}` are the same
/// without its last character, with another in the middle, and with a space there. `{bytes c0 80}` are
/// bytes, and `{times 3}x{end}` is `xxx`. Every other brace is a brace.
pub(super) fn expand(text: &str, names: &Placeholders) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        rest = match special(rest, names) {
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

/// The same as text.
pub(super) fn expand_text(text: &str, names: &Placeholders) -> String {
    String::from_utf8(expand(text, names)).unwrap_or_else(|_| panic!("text, and no bytes: {text}"))
}

/// The names that `text` speaks of.
pub(super) fn names_in(text: &str) -> Vec<&str> {
    let words = text.split('{').skip(1).filter_map(|it| it.split_once('}'));
    words.map(|(inside, _)| inside.split(' ').next().unwrap_or_default()).filter(|it| is_name(it)).collect()
}

/// The value of what begins with a brace, and the text after it.
fn special<'a>(text: &'a str, names: &Placeholders) -> Option<(Vec<u8>, &'a str)> {
    let (inside, after) = text.strip_prefix('{')?.split_once('}')?;
    let (word, argument) = inside.split_once(' ').unwrap_or((inside, ""));
    match word {
        "bytes" => Some((argument.split(' ').map(byte).collect(), after)),
        "times" => {
            let count = argument.parse().unwrap_or_else(|_| panic!("a number of times, not {argument}"));
            let (repeated, after) = after.split_once("{end}").expect("what is repeated has an end");
            Some((expand(repeated, names).repeat(count), after))
        }
        name if is_name(name) => {
            let value = names.get(name).unwrap_or_else(|| panic!("there is no {name}"));
            Some((varied(value, argument).into_bytes(), after))
        }
        _ => None,
    }
}

fn is_name(word: &str) -> bool {
    let known = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
    word.starts_with(|it: char| it.is_ascii_uppercase()) && word.bytes().all(known)
}

fn byte(text: &str) -> u8 {
    u8::from_str_radix(text, 16).unwrap_or_else(|_| panic!("a byte, not {text}"))
}

fn varied(value: &str, how: &str) -> String {
    let (head, tail) = value.split_at(value.len() / 2);
    let other = if tail.starts_with('a') { 'b' } else { 'a' };
    match how {
        "" => value.to_owned(),
        "short" => value[..value.len() - 1].to_owned(),
        "flipped" => format!("{head}{other}{}", &tail[1..]),
        "torn" => format!("{head} {tail}"),
        _ => panic!("no way to vary a value: {how}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_put_in_their_place() {
        let names = Placeholders::from([("KEY".to_owned(), "abcd".to_owned())]);
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
            assert_eq!(expand(text, &names), expected, "{text}");
        }
        assert_eq!(names_in("{KEY} {times 2}{P}{end} {\"a\":1}"), ["KEY", "P"]);
    }
}
