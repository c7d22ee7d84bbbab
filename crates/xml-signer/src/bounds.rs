//! How large the parts of a document may be, found in one pass before a parser sees it. Parsers compare each attribute of
//! an element with every other, and look for a namespace in every element around: whoever may send a document that is long
//! could have them do that for minutes.

use crate::refused::Refused;

/// No element of the authority's documents has more than one, none of a signature more than two.
const ATTRIBUTES: u32 = 32;
/// None of either stands in more than ten others.
const DEPTH: u32 = 64;

/// What stands between these is no tag, whatever is in it.
const APART: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];

/// Refuses what is larger. What is no XML may pass: a parser refuses that as soon as it comes to it.
pub(crate) fn check(text: &str) -> Result<(), Refused> {
    let (mut rest, mut depth) = (text, 0_u32);
    while let Some(at) = rest.find('<') {
        rest = rest.get(at..).unwrap_or_default();
        if let Some((begin, end)) = APART.iter().find(|(begin, _)| rest.starts_with(begin)) {
            let inside = rest.get(begin.len()..).unwrap_or_default();
            let Some((_, after)) = inside.split_once(end) else { return Ok(()) };
            rest = after;
            continue;
        }
        let tag = Tag::read(rest);
        if tag.attributes > ATTRIBUTES {
            return Err(Refused("an element of the document has too many attributes"));
        }
        depth = if tag.text.starts_with("</") {
            depth.saturating_sub(1)
        } else if tag.text.ends_with("/>") {
            depth
        } else {
            depth.saturating_add(1)
        };
        if depth > DEPTH {
            return Err(Refused("the elements of the document stand too deep in one another"));
        }
        rest = rest.get(tag.text.len()..).unwrap_or_default();
    }
    Ok(())
}

/// What begins with `<`, to its end.
struct Tag<'a> {
    text: &'a str,
    attributes: u32,
}

impl<'a> Tag<'a> {
    /// An attribute is whatever stands in quotes: in nothing else may a tag have any.
    fn read(text: &'a str) -> Self {
        let (mut open, mut attributes) = (None, 0_u32);
        for (at, byte) in text.bytes().enumerate() {
            match (open, byte) {
                (Some(quote), it) if it == quote => open = None,
                (None, b'"' | b'\'') => {
                    open = Some(byte);
                    attributes = attributes.saturating_add(1);
                }
                (None, b'>') => return Self { text: text.get(..=at).unwrap_or(text), attributes },
                _ => {}
            }
        }
        Self { text, attributes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_attributes(many: usize) -> String {
        let attributes: String = (0..many).map(|n| format!(" a{n}='>'")).collect();
        format!("<?xml version=\"1.0\"?><e><i{attributes}/></e>")
    }

    #[test]
    fn an_element_has_so_many_attributes_at_most() {
        assert!(check(&with_attributes(32)).is_ok());
        assert!(check(&with_attributes(33)).is_err());
    }

    #[test]
    fn elements_stand_so_deep_at_most() {
        let nested = |depth: usize| "<e>".repeat(depth) + &"</e>".repeat(depth);

        assert!(check(&nested(64).repeat(3)).is_ok());
        assert!(check(&("<e/>".repeat(100) + &nested(64))).is_ok());
        assert!(check(&nested(65)).is_err());
    }

    #[test]
    fn nothing_hides_what_follows() {
        for hides in ["<!-- don't -->", "<![CDATA[it's < \" ]]>", "<?it's ?>", "<a b='\"'/>", "it's"] {
            assert!(check(&(hides.to_owned() + &with_attributes(32))).is_ok(), "{hides}");
            assert!(check(&(hides.to_owned() + &with_attributes(33))).is_err(), "{hides}");
        }
    }
}
