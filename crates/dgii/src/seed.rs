//! The seed that a caller signs to be let in.

/// The seed as it is signed: without what stands between its elements, which DGII leaves out when it verifies.
pub(crate) fn stripped(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}').trim();
    let mut stripped = String::with_capacity(text.len());
    for (index, piece) in text.split('>').enumerate() {
        if index > 0 {
            stripped.push('>');
        }
        // Between a tag and the next there is either text, or nothing that counts.
        let piece = match piece.find('<') {
            Some(tag) if piece.get(..tag)?.trim().is_empty() => piece.get(tag..)?,
            _ => piece,
        };
        stripped.push_str(piece);
    }
    // Nobody signs for us what is not a seed.
    let root = stripped.split_once("?>").map_or(stripped.as_str(), |(_, root)| root);
    let is_seed = root.starts_with("<SemillaModel") && root.ends_with("</SemillaModel>");
    is_seed.then_some(stripped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_stripped_of_its_indentation_alone() {
        let served = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<SemillaModel \
                      xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\r\n  <valor>a b+/=</valor>\r\n  \
                      <fecha>2026-03-01T08:00:00.1234567-04:00</fecha>\r\n</SemillaModel>\r\n";

        let expected = "<?xml version=\"1.0\" encoding=\"utf-8\"?><SemillaModel \
                        xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><valor>a b+/=</valor>\
                        <fecha>2026-03-01T08:00:00.1234567-04:00</fecha></SemillaModel>";
        assert_eq!(stripped(served.as_bytes()).as_deref(), Some(expected));
    }

    #[test]
    fn nothing_else_is_signed() {
        for text in ["", "<html></html>", "<ECF><valor>x</valor></ECF>", "<SemillaModel><valor>x</valor>", "\"seed\""] {
            assert_eq!(stripped(text.as_bytes()), None, "{text}");
        }
        assert_eq!(stripped(b"<SemillaModel><valor>\xff</valor></SemillaModel>"), None);
    }
}
