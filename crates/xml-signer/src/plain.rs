//! Documents as we write them ourselves: elements without attributes, text, and nothing else.
//!
//! Their canonical form can be told by reading them once. Whoever builds a tree of them first, as
//! a library for any XML has to, takes as long as RSA does. What is not so plain is left to it.

/// The only declaration of a plain document.
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>";
/// No document of ours is nested deeper.
const MAX_DEPTH: usize = 16;

/// The canonical form of a document of which `content` is all before the end tag of its root, and
/// `end` the rest; `None` if it is not plain, whether well-formed or not.
pub(crate) fn canonical(content: &str, end: &str) -> Option<String> {
    let content = content.strip_prefix(DECLARATION).unwrap_or(content);
    let mut canonical = String::with_capacity(content.len() + end.len());
    let mut open = Vec::with_capacity(MAX_DEPTH);
    // What stands between the two is canonical, and not taken over yet.
    let (mut from, mut at) = (0, 0);
    while let Some(&byte) = content.as_bytes().get(at) {
        match byte {
            b'<' => at += tag(content.get(at..)?, &mut open)?,
            // All of it is in the root.
            _ if open.is_empty() => return None,
            b'&' => {
                canonical.push_str(content.get(from..at)?);
                at += push_reference(content.get(at..)?, &mut canonical)?;
                from = at;
            }
            // Of tabs and line breaks readers make different things.
            ..b' ' | b'>' => return None,
            0xef if content.get(at..)?.starts_with(['\u{fffe}', '\u{ffff}']) => return None,
            _ => at += 1,
        }
    }
    let [root] = open[..] else { return None };
    if end.strip_prefix("</")?.strip_suffix('>')? != root {
        return None;
    }
    canonical.push_str(content.get(from..)?);
    canonical.push_str(end);
    Some(canonical)
}

/// How long the tag is with which `text` begins. Those that are open become one more, or one less.
fn tag<'a>(text: &'a str, open: &mut Vec<&'a str>) -> Option<usize> {
    // The root ends after what is read here.
    if let [outer @ .., last] = &open[..]
        && !outer.is_empty()
        && let Some(rest) = text.strip_prefix("</")
    {
        rest.strip_prefix(last)?.strip_prefix('>')?;
        return open.pop().map(|it| it.len() + "</>".len());
    }
    let name = text.strip_prefix('<')?;
    let name = name.get(..name.bytes().position(|it| !OF_NAME[usize::from(it)])?)?;
    let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
    // Signatures stand where we put them alone.
    if !is_name || name == "Signature" || open.len() == MAX_DEPTH || text.as_bytes().get(name.len() + 1) != Some(&b'>')
    {
        return None;
    }
    open.push(name);
    Some(name.len() + "<>".len())
}

/// Whether a byte may stand in a name: most of a document is names.
static OF_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        let it = byte as u8;
        table[byte] = it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
        byte += 1;
    }
    table
};

/// How long the reference is with which `text` begins. Adds what canonical XML has in its place: `&`, `<` and `>` by name,
/// everything else as it is.
fn push_reference(text: &str, to: &mut String) -> Option<usize> {
    let (name, _) = text.strip_prefix('&')?.split_once(';')?;
    match name {
        "amp" | "lt" | "gt" => to.extend(["&", name, ";"]),
        "quot" => to.push('"'),
        "apos" => to.push('\''),
        _ => to.push(numbered(name)?),
    }
    Some(name.len() + "&;".len())
}

/// A symbol by its number, if it needs none in canonical XML.
fn numbered(name: &str) -> Option<char> {
    let digits = name.strip_prefix('#').filter(|it| it.bytes().all(|it| it.is_ascii_digit()))?;
    let symbol = char::from_u32(digits.parse().ok()?)?;
    (symbol >= '\u{a0}' && !matches!(symbol, '\u{fffe}' | '\u{ffff}')).then_some(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical_form(document: &str) -> Option<String> {
        let (content, end) = document.split_at(document.rfind("</").unwrap_or(document.len()));
        canonical(content, end)
    }

    #[test]
    fn what_is_escaped_without_need_is_not_escaped_in_the_canonical_form() {
        let document = "<?xml version=\"1.0\" encoding=\"utf-8\"?><ECF><A>&quot;Té&quot; &amp; &apos;pan&apos; &lt;1&gt; \
                        &#169;&#8364;</A><B></B></ECF>";

        let expected = "<ECF><A>\"Té\" &amp; 'pan' &lt;1&gt; ©€</A><B></B></ECF>";
        assert_eq!(canonical_form(document).as_deref(), Some(expected));
    }

    #[test]
    fn what_is_not_plain_is_left_to_others() {
        for document in [
            "",
            "<ECF>",
            "</ECF>",
            "<ECF/>",
            "<ECF><A/></ECF>",
            "<ECF><A></ECF></A>",
            "<ECF><A></B></ECF>",
            "<ECF></ECF >",
            "<ECF></ECF>\n",
            "<ECF></ECF><ECF></ECF>",
            "<ECF></RFCE>",
            "<ECF><A></ECF>",
            " <ECF></ECF>",
            "\u{feff}<ECF></ECF>",
            "<?xml version=\"1.0\"?><ECF></ECF>",
            "<ECF a=\"1\"></ECF>",
            "<e:ECF></e:ECF>",
            "<1></1>",
            "<ECF><!-- a --></ECF>",
            "<ECF><?a?></ECF>",
            "<ECF><![CDATA[a]]></ECF>",
            "<ECF><Signature></Signature></ECF>",
            "<ECF>a > b</ECF>",
            "<ECF>a\nb</ECF>",
            "<ECF>a\tb</ECF>",
            "<ECF>\u{ffff}</ECF>",
            "<ECF>a & b</ECF>",
            "<ECF>&a;</ECF>",
            "<ECF>&#13;</ECF>",
            "<ECF>&#60;</ECF>",
            "<ECF>&#xA9;</ECF>",
            "<ECF>&#+169;</ECF>",
            "<ECF>&#65535;</ECF>",
            "<ECF>&#55296;</ECF>",
        ] {
            assert_eq!(canonical_form(document), None, "{document:?}");
        }
        let deep = |depth| format!("{}{}", "<A>".repeat(depth), "</A>".repeat(depth));
        assert!(canonical_form(&deep(MAX_DEPTH)).is_some());
        assert_eq!(canonical_form(&deep(MAX_DEPTH + 1)), None);
    }
}
