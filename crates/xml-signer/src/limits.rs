//! Limits on the parts of a document, checked in one pass before parsing. Parsers compare each attribute of an element
//! with every other, and canonicalization collects the namespaces of every element: even within the length limit, a
//! document could occupy both for minutes.

use crate::refusal::Refusal;

/// Maximum number of attributes of an element: the authority's documents have at most one, signatures at most two.
const ATTRIBUTES: u32 = 32;
/// Maximum number of attributes in the document, including namespace declarations: a signature has about ten.
const ALL_ATTRIBUTES: u32 = 256;
/// Maximum number of namespaces in scope, summed over all elements: canonicalization collects them for each. Other
/// systems declare three or four at the root of at most 75,000 elements.
const SCOPES: u32 = 600_000;
/// Maximum length of the tags that declare the namespaces in scope, summed over all elements: exclusive canonicalization
/// repeats a declaration at every element that uses it.
const SCOPE_BYTES: usize = 24 * 1024 * 1024;
/// Maximum number of tags, comments and sections in the document: the longest documents of two megabytes have 150,000.
const MARKUP: u32 = 200_000;
/// Maximum nesting: the deepest documents and signatures have about ten levels.
const DEPTH: usize = 64;

/// Sections that contain no tags.
const APART: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];

/// Maximum length as for [`SCOPE_BYTES`], in a document that is verified in milliseconds: declarations of usual length
/// at the root of a document of 64 kB.
const QUICK_SCOPE_BYTES: usize = 256 * 1024;

/// Whether a document is verified quickly for its size, because canonicalization repeats few namespaces. A refusal is
/// quick, too.
pub(crate) fn is_quick(text: &str) -> bool {
    measure(text).map_or(true, |counts| counts.scope_bytes <= QUICK_SCOPE_BYTES)
}

/// Refuses a document that exceeds a limit. Text that is not XML may pass: the parser refuses it.
pub(crate) fn check(text: &str) -> Result<(), Refusal> {
    measure(text).map(drop)
}

/// Counts the parts of a document, up to the first limit that is exceeded.
fn measure(text: &str) -> Result<Counts, Refusal> {
    let mut counts = Counts::default();
    let mut rest = text;
    while let Some(at) = position(rest, 0, |byte| byte == b'<') {
        rest = &rest[at..];
        counts.markup = counts.markup.saturating_add(1);
        if let Some((begin, end)) = APART.iter().find(|(begin, _)| rest.starts_with(begin)) {
            let Some((_, after)) = rest[begin.len()..].split_once(end) else { return Ok(counts) };
            rest = after;
        } else {
            let tag = Tag::read(rest);
            counts.add(&tag)?;
            rest = &rest[tag.text.len()..];
        }
        if counts.markup > MARKUP {
            return Err(Refusal("the document has too many elements"));
        }
    }
    Ok(counts)
}

/// Counts of the parts of a document before the current position.
#[derive(Default)]
struct Counts {
    markup: u32,
    attributes: u32,
    scopes: u32,
    scope_bytes: usize,
    /// Number of namespaces in scope at each open element, and the length of their tags.
    open: Vec<(u32, usize)>,
}

impl Counts {
    fn add(&mut self, tag: &Tag<'_>) -> Result<(), Refusal> {
        self.attributes = self.attributes.saturating_add(tag.attributes);
        if tag.attributes > ATTRIBUTES {
            return Err(Refusal("an element of the document has too many attributes"));
        }
        if self.attributes > ALL_ATTRIBUTES {
            return Err(Refusal("the document has too many attributes"));
        }
        if tag.text.starts_with("</") {
            self.open.pop();
            return Ok(());
        }
        let declared = if tag.attributes > 0 { tag.text.matches("xmlns").count() } else { 0 };
        let length = if declared > 0 { tag.text.len() } else { 0 };
        let (outer, outer_bytes) = self.open.last().copied().unwrap_or_default();
        let in_scope = outer.saturating_add(u32::try_from(declared).unwrap_or(u32::MAX));
        let bytes_in_scope = outer_bytes.saturating_add(length);
        self.scopes = self.scopes.saturating_add(in_scope);
        self.scope_bytes = self.scope_bytes.saturating_add(bytes_in_scope);
        if self.scopes > SCOPES || self.scope_bytes > SCOPE_BYTES {
            return Err(Refusal("the document has too many namespaces"));
        }
        if !tag.text.ends_with("/>") {
            self.open.push((in_scope, bytes_in_scope));
        }
        if self.open.len() > DEPTH {
            return Err(Refusal("the elements of the document are nested too deeply"));
        }
        Ok(())
    }
}

/// Text from `<` to the end of the tag.
struct Tag<'a> {
    text: &'a str,
    attributes: u32,
}

impl<'a> Tag<'a> {
    /// Counts quoted values as attributes: only attributes have quotes in a tag.
    fn read(text: &'a str) -> Self {
        let (mut end, mut attributes) = (0, 0_u32);
        while let Some(at) = position(text, end, |byte| matches!(byte, b'>' | b'"' | b'\'')) {
            let delimiter = text.as_bytes()[at];
            end = at + 1;
            if delimiter == b'>' {
                return Self { text: &text[..end], attributes };
            }
            attributes = attributes.saturating_add(1);
            let Some(closing) = position(text, end, |byte| byte == delimiter) else { break };
            end = closing + 1;
        }
        Self { text, attributes }
    }
}

/// Returns the position of a byte after the first `from` bytes.
fn position(text: &str, from: usize, is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
    text.as_bytes()[from..].iter().position(|&byte| is_wanted(byte)).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_attributes(many: usize) -> String {
        let attributes: String = (0..many).map(|n| format!(" a{n}='>'")).collect();
        format!("<?xml version=\"1.0\"?><e><i{attributes}/></e>")
    }

    #[test]
    fn an_element_has_at_most_32_attributes() {
        assert!(check(&with_attributes(32)).is_ok());
        assert!(check(&with_attributes(33)).is_err());
    }

    #[test]
    fn a_document_has_at_most_256_attributes() {
        assert!(check(&"<a b=''/>".repeat(256)).is_ok());
        assert!(check(&"<a b=''/>".repeat(257)).is_err());
    }

    #[test]
    fn namespaces_in_scope_are_limited_over_all_elements() {
        let root = |declared: usize, elements: usize| {
            let declarations: String = (0..declared).map(|n| format!(" xmlns:n{n}=''")).collect();
            format!("<e{declarations}>{}</e>", "<a/>".repeat(elements))
        };

        assert!(check(&root(4, 149_999)).is_ok());
        assert!(check(&root(4, 150_000)).is_err());
        assert!(check(&(root(4, 100_000) + &root(0, 90_000))).is_ok());
    }

    #[test]
    fn long_namespaces_are_limited_over_all_elements() {
        let root = |length: usize| {
            let namespace = "n".repeat(length);
            format!("<e xmlns:n='{namespace}'>{}</e>", "<a/>".repeat(100_000))
        };

        assert!(check(&root(230)).is_ok());
        assert!(check(&root(300)).is_err());
    }

    #[test]
    fn a_short_document_that_repeats_long_namespaces_is_not_quick() {
        let root = |length: usize, elements: usize| {
            let namespace = "n".repeat(length);
            format!("<e xmlns:n='{namespace}'>{}</e>", "<n:a/>".repeat(elements))
        };

        assert!(is_quick(&root(100, 2000)));
        assert!(!is_quick(&root(4000, 1000)));
        assert!(check(&root(4000, 1000)).is_ok());
        assert!(is_quick(&root(300, 100_000)), "it is refused");
    }

    #[test]
    fn a_document_has_at_most_200_000_elements_comments_and_sections() {
        for markup in ["<a/>", "<!---->", "<?a?>", "<![CDATA[]]>"] {
            assert!(check(&markup.repeat(200_000)).is_ok(), "{markup}");
            assert!(check(&markup.repeat(200_001)).is_err(), "{markup}");
        }
    }

    #[test]
    fn elements_are_nested_at_most_64_deep() {
        let nested = |depth: usize| "<e>".repeat(depth) + &"</e>".repeat(depth);

        assert!(check(&nested(64).repeat(3)).is_ok());
        assert!(check(&("<e/>".repeat(100) + &nested(64))).is_ok());
        assert!(check(&nested(65)).is_err());
    }

    #[test]
    fn quotes_and_sections_hide_no_attributes() {
        for hides in ["<!-- don't -->", "<![CDATA[it's < \" ]]>", "<?it's ?>", "<a b='\"'/>", "it's"] {
            assert!(check(&(hides.to_owned() + &with_attributes(32))).is_ok(), "{hides}");
            assert!(check(&(hides.to_owned() + &with_attributes(33))).is_err(), "{hides}");
        }
    }
}
