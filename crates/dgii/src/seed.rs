//! The seed that a client signs to get a token.

/// Returns the seed without white space between elements, which DGII removes before it verifies the signature.
pub(crate) fn compact(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}').trim();
    let mut compact = String::with_capacity(text.len());
    for (index, piece) in text.split('>').enumerate() {
        if index > 0 {
            compact.push('>');
        }
        // Text between two tags is either content or white space.
        let piece = match piece.find('<') {
            Some(tag) if piece.get(..tag)?.trim().is_empty() => piece.get(tag..)?,
            _ => piece,
        };
        compact.push_str(piece);
    }
    // The signature of other content could be abused.
    let root = compact.split_once("?>").map_or(compact.as_str(), |(_, root)| root);
    let is_seed = root.starts_with("<SemillaModel") && root.ends_with("</SemillaModel>");
    is_seed.then_some(compact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_indentation_of_a_seed_is_removed() {
        let served = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<SemillaModel \
                      xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\r\n  <valor>a b+/=</valor>\r\n  \
                      <fecha>2026-03-01T08:00:00.1234567-04:00</fecha>\r\n</SemillaModel>\r\n";

        let expected = "<?xml version=\"1.0\" encoding=\"utf-8\"?><SemillaModel \
                        xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><valor>a b+/=</valor>\
                        <fecha>2026-03-01T08:00:00.1234567-04:00</fecha></SemillaModel>";
        assert_eq!(compact(served.as_bytes()).as_deref(), Some(expected));
    }

    #[test]
    fn other_content_is_not_signed() {
        for text in ["", "<html></html>", "<ECF><valor>x</valor></ECF>", "<SemillaModel><valor>x</valor>", "\"seed\""] {
            assert_eq!(compact(text.as_bytes()), None, "{text}");
        }
        assert_eq!(compact(b"<SemillaModel><valor>\xff</valor></SemillaModel>"), None);
    }
}
