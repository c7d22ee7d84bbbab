//! Compresses the objects of a PDF.
//!
//! Each cell of a table has a tag for screen readers, and each tag is an object. Hundreds of similar objects are half
//! of a file, but almost nothing once they are compressed together in an object stream (ISO 32000-1, 7.5.7), which
//! PDF/A-2 allows (ISO 19005-2). The positions are in a cross-reference stream (7.5.8).

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};

/// Moves all objects except streams into one object stream; `None` if the file has another form than the library's
/// output.
pub(crate) fn compress(file: &[u8]) -> Option<Vec<u8>> {
    let Uncompressed { head, objects, trailer } = Uncompressed::parse(file)?;
    let mut output = Vec::with_capacity(file.len());
    output.extend_from_slice(head);
    let (mut entries, mut index, mut bodies) = (vec![XrefEntry::Free], String::new(), Vec::new());
    let own = u32::try_from(objects.len() + 1).ok()?;
    let mut count = 0;
    let mut compressor = Compressor::new();
    for (number, object) in (1_u32..).zip(&objects) {
        if object.is_stream() {
            entries.push(XrefEntry::at(&output)?);
            match object.uncompressed_stream() {
                Some((about, bytes)) => compressor.push_stream(&mut output, number, about, bytes)?,
                None => output.extend_from_slice(object.whole),
            }
        } else {
            entries.push(XrefEntry::InStream { stream: own, index: count });
            count = count.checked_add(1)?;
            index.push_str(&format!("{number} {} ", bodies.len()));
            bodies.extend_from_slice(object.body);
            bodies.push(b'\n');
        }
    }

    entries.push(XrefEntry::at(&output)?);
    let about = format!("/Type/ObjStm/N {count}/First {}", index.len());
    compressor.push_stream(&mut output, own, &about, &[index.as_bytes(), &bodies].concat())?;

    let here = output.len();
    entries.push(XrefEntry::at(&output)?);
    let about = format!("/Type/XRef/W[1 4 2]/Size {}{trailer}", entries.len());
    let entries: Vec<u8> = entries.into_iter().flat_map(XrefEntry::encode).collect();
    compressor.push_stream(&mut output, own + 1, &about, &entries)?;
    output.extend_from_slice(format!("startxref\n{here}\n%%EOF").as_bytes());
    Some(output)
}

/// The library's output: objects in the order of their numbers, and a cross-reference table.
struct Uncompressed<'a> {
    head: &'a [u8],
    objects: Vec<Object<'a>>,
    /// Entries of the trailer after `/Size`.
    trailer: &'a str,
}

struct Object<'a> {
    whole: &'a [u8],
    /// Content without number and `endobj`.
    body: &'a [u8],
}

impl Object<'_> {
    fn is_stream(&self) -> bool {
        self.body.ends_with(b"endstream")
    }

    /// Returns the dictionary without the length, and the bytes of a stream that is to be compressed.
    fn uncompressed_stream(&self) -> Option<(&str, &[u8])> {
        const BEGIN: &[u8] = b">>\nstream\n";
        let begin = self.body.windows(BEGIN.len()).position(|it| it == BEGIN)?;
        let about = std::str::from_utf8(self.body.get(..begin)?.strip_prefix(b"<</Length ")?).ok()?;
        let bytes = self.body.get(begin + BEGIN.len()..)?.strip_suffix(b"\nendstream")?;
        let about = about.trim_start_matches(|it: char| it.is_ascii_digit());
        // Archives read the metadata without decompression.
        (!about.contains("/Filter") && !about.contains("/Type/Metadata")).then_some((about, bytes))
    }
}

impl<'a> Uncompressed<'a> {
    fn parse(file: &'a [u8]) -> Option<Self> {
        let end = file.get(file.len().checked_sub(40)?..)?;
        let end = String::from_utf8_lossy(end);
        let (_, end) = end.split_once("startxref\n")?;
        let table: usize = end.strip_suffix("\n%%EOF")?.parse().ok()?;
        let (entries, trailer) = std::str::from_utf8(file.get(table..)?).ok()?.split_once("trailer\n<<")?;
        let (_, trailer) = trailer.split_once("/Size ")?;
        let trailer = trailer.trim_start_matches(|it: char| it.is_ascii_digit());
        let (trailer, _) = trailer.split_once(">>\nstartxref")?;

        let mut entries = entries.strip_prefix("xref\n0 ")?.lines().skip(2);
        let mut begins = entries.by_ref().map(|it| it.strip_suffix(" 00000 n")?.parse().ok());
        let mut begins = begins.by_ref().collect::<Option<Vec<usize>>>()?;
        let head = file.get(..*begins.first()?)?;
        begins.push(table);
        let object = |(number, place): (usize, &[usize])| {
            let whole = file.get(place[0]..place[1])?;
            let body = whole.strip_prefix(format!("{number} 0 obj\n").as_bytes())?;
            Some(Object { whole, body: body.trim_ascii_end().strip_suffix(b"\nendobj")? })
        };
        let objects = (1..).zip(begins.windows(2)).map(object).collect::<Option<_>>()?;
        Some(Self { head, objects, trailer })
    }
}

/// Entry of the cross-reference stream.
enum XrefEntry {
    Free,
    /// Offset in the file.
    Offset(u32),
    /// Index in an object stream.
    InStream {
        stream: u32,
        index: u16,
    },
}

impl XrefEntry {
    fn at(end: &[u8]) -> Option<Self> {
        u32::try_from(end.len()).ok().map(Self::Offset)
    }

    /// Encodes an entry in 1, 4 and 2 bytes.
    fn encode(self) -> [u8; 7] {
        let (kind, place, index) = match self {
            Self::Free => (0, 0, u16::MAX),
            Self::Offset(place) => (1, place, 0),
            Self::InStream { stream, index } => (2, stream, index),
        };
        let ([a, b, c, d], [e, f]) = (place.to_be_bytes(), index.to_be_bytes());
        [kind, a, b, c, d, e, f]
    }
}

/// Level 3 saves a sixth of the processor time of a document against level 6, and adds 2 % to its size.
const LEVEL: u32 = 3;

/// Reuses one encoder, because its set-up takes longer than most streams.
struct Compressor(ZlibEncoder<Vec<u8>>);

impl Compressor {
    fn new() -> Self {
        Self(ZlibEncoder::new(Vec::new(), Compression::new(LEVEL)))
    }

    /// Appends a compressed stream.
    fn push_stream(&mut self, to: &mut Vec<u8>, number: u32, about: &str, bytes: &[u8]) -> Option<()> {
        self.0.write_all(bytes).ok()?;
        let bytes = self.0.reset(Vec::new()).ok()?;
        let length = bytes.len();
        to.extend_from_slice(
            format!("{number} 0 obj\n<<{about}/Filter/FlateDecode/Length {length}>>\nstream\n").as_bytes(),
        );
        to.extend_from_slice(&bytes);
        to.extend_from_slice(b"\nendstream\nendobj\n");
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "%PDF-1.7\n\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 0/Kids[]>>\n\
                         endobj\n3 0 obj\n<</Length 1/Filter/F>>\nstream\nx\nendstream\nendobj\n\nxref\n0 4\n0000000000 65535 f\r\n\
                         0000000010 00000 n\r\n0000000055 00000 n\r\n0000000101 00000 n\r\ntrailer\n<</Size 4/Root 1 0 R>>\n\
                         startxref\n159\n%%EOF";

    #[test]
    fn objects_move_into_one_stream_and_streams_stay() {
        let output = compress(SAMPLE.as_bytes()).unwrap();
        let text = String::from_utf8_lossy(&output);

        assert!(
            text.starts_with("%PDF-1.7\n\n3 0 obj\n<</Length 1/Filter/F>>\nstream\nx\nendstream\nendobj\n\n4 0 obj\n"),
            "{text}"
        );
        assert!(text.contains("<</Type/ObjStm/N 2/First 9/Filter/FlateDecode"), "{text}");
        assert!(text.contains("5 0 obj\n<</Type/XRef/W[1 4 2]/Size 6/Root 1 0 R/Filter/FlateDecode"), "{text}");
        assert!(!text.contains("/Type/Catalog"));
    }

    #[test]
    fn a_stream_is_compressed_unless_it_is_compressed_or_metadata() {
        let stream = |about: &str| {
            Object { whole: b"", body: format!("<</Length 1{about}>>\nstream\nx\nendstream").as_bytes() }
                .uncompressed_stream()
                .map(|(about, bytes)| (about.to_owned(), bytes.to_vec()))
        };

        assert_eq!(stream("/WMode 0"), Some(("/WMode 0".to_owned(), b"x".to_vec())));
        assert_eq!(stream("/Filter/FlateDecode"), None);
        assert_eq!(stream("/Type/Metadata/Subtype/XML"), None);
    }

    #[test]
    fn other_files_are_not_changed() {
        assert!(compress(b"").is_none());
        for (from, to) in [
            ("\n%%EOF", "\n%%EOF\n"),
            ("startxref\n159", "startxref\n9159"),
            ("1 0 obj", "7 0 obj"),
            ("0000000055 00000 n", "0000000055 00000 f"),
            ("0000000055 00000 n", "0000000060 00000 n"),
            ("0000000055 00000 n", "0000000168 00000 n"),
            ("\nendobj\n2", "\n2"),
            ("trailer", "Trailer"),
        ] {
            assert!(SAMPLE.contains(from));
            assert!(compress(SAMPLE.replacen(from, to, 1).as_bytes()).is_none(), "{from} {to}");
        }
    }
}
