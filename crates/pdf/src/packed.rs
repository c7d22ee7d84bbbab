//! Packing: what the library wrote plainly becomes small.
//!
//! Each cell of a table has a tag for whoever hears the page, and each tag is an object. Hundreds of them that resemble each
//! other are half of a file, and nearly nothing of it once they are compressed together, which PDF knows as an object stream
//! (ISO 32000-1, 7.5.7), and archives may hold (ISO 19005-2). Where each is then found says a stream, too (7.5.8).

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};

/// The same file with everything in one stream that is none itself; `None` if it is not written as the library writes files.
pub(crate) fn packed(file: &[u8]) -> Option<Vec<u8>> {
    let Plain { head, objects, trailer } = Plain::read(file)?;
    let mut packed = Vec::with_capacity(file.len());
    packed.extend_from_slice(head);
    let (mut places, mut names, mut bodies) = (vec![Place::Free], String::new(), Vec::new());
    let own = u32::try_from(objects.len() + 1).ok()?;
    let mut together = 0;
    let mut press = Press::new();
    for (number, object) in (1_u32..).zip(&objects) {
        if object.is_stream() {
            places.push(Place::at(&packed)?);
            match object.loose() {
                Some((about, bytes)) => press.push_stream(&mut packed, number, about, bytes)?,
                None => packed.extend_from_slice(object.whole),
            }
        } else {
            places.push(Place::Together { stream: own, index: together });
            together = together.checked_add(1)?;
            names.push_str(&format!("{number} {} ", bodies.len()));
            bodies.extend_from_slice(object.body);
            bodies.push(b'\n');
        }
    }

    places.push(Place::at(&packed)?);
    let about = format!("/Type/ObjStm/N {together}/First {}", names.len());
    press.push_stream(&mut packed, own, &about, &[names.as_bytes(), &bodies].concat())?;

    let here = packed.len();
    places.push(Place::at(&packed)?);
    let about = format!("/Type/XRef/W[1 4 2]/Size {}{trailer}", places.len());
    let places: Vec<u8> = places.into_iter().flat_map(Place::spelled).collect();
    press.push_stream(&mut packed, own + 1, &about, &places)?;
    packed.extend_from_slice(format!("startxref\n{here}\n%%EOF").as_bytes());
    Some(packed)
}

/// A file as the library writes it: objects in the order of their numbers, then where each begins.
struct Plain<'a> {
    head: &'a [u8],
    objects: Vec<Object<'a>>,
    /// What is said of the file as a whole, but how many objects it has.
    trailer: &'a str,
}

struct Object<'a> {
    whole: &'a [u8],
    /// Without its number and its end.
    body: &'a [u8],
}

impl Object<'_> {
    fn is_stream(&self) -> bool {
        self.body.ends_with(b"endstream")
    }

    /// What is said of a stream but its length, and its bytes, if they are not compressed and should be.
    fn loose(&self) -> Option<(&str, &[u8])> {
        const BEGIN: &[u8] = b">>\nstream\n";
        let begin = self.body.windows(BEGIN.len()).position(|it| it == BEGIN)?;
        let about = std::str::from_utf8(self.body.get(..begin)?.strip_prefix(b"<</Length ")?).ok()?;
        let bytes = self.body.get(begin + BEGIN.len()..)?.strip_suffix(b"\nendstream")?;
        let about = about.trim_start_matches(|it: char| it.is_ascii_digit());
        // What a file is about is found in an archive without unpacking anything.
        (!about.contains("/Filter") && !about.contains("/Type/Metadata")).then_some((about, bytes))
    }
}

impl<'a> Plain<'a> {
    fn read(file: &'a [u8]) -> Option<Self> {
        let end = file.get(file.len().checked_sub(40)?..)?;
        let end = String::from_utf8_lossy(end);
        let (_, end) = end.split_once("startxref\n")?;
        let table: usize = end.strip_suffix("\n%%EOF")?.parse().ok()?;
        let (places, trailer) = std::str::from_utf8(file.get(table..)?).ok()?.split_once("trailer\n<<")?;
        let (_, trailer) = trailer.split_once("/Size ")?;
        let trailer = trailer.trim_start_matches(|it: char| it.is_ascii_digit());
        let (trailer, _) = trailer.split_once(">>\nstartxref")?;

        let mut places = places.strip_prefix("xref\n0 ")?.lines().skip(2);
        let mut begins = places.by_ref().map(|it| it.strip_suffix(" 00000 n")?.parse().ok());
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

/// Where an object is.
enum Place {
    /// There is none of that number.
    Free,
    /// From there on.
    Alone(u32),
    /// Among others.
    Together { stream: u32, index: u16 },
}

impl Place {
    fn at(end: &[u8]) -> Option<Self> {
        u32::try_from(end.len()).ok().map(Self::Alone)
    }

    /// One byte, four and two.
    fn spelled(self) -> [u8; 7] {
        let (kind, place, index) = match self {
            Self::Free => (0, 0, u16::MAX),
            Self::Alone(place) => (1, place, 0),
            Self::Together { stream, index } => (2, stream, index),
        };
        let ([a, b, c, d], [e, f]) = (place.to_be_bytes(), index.to_be_bytes());
        [kind, a, b, c, d, e, f]
    }
}

/// Against the usual level, 6, a whole document takes a sixth less of a processor, and a fiftieth more bytes.
const LEVEL: u32 = 3;

/// Compresses one stream after the other: to set one up for each takes as long as most of them.
struct Press(ZlibEncoder<Vec<u8>>);

impl Press {
    fn new() -> Self {
        Self(ZlibEncoder::new(Vec::new(), Compression::new(LEVEL)))
    }

    /// Adds a stream, compressed.
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

    const PLAIN: &str = "%PDF-1.7\n\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 0/Kids[]>>\n\
                         endobj\n3 0 obj\n<</Length 1/Filter/F>>\nstream\nx\nendstream\nendobj\n\nxref\n0 4\n0000000000 65535 f\r\n\
                         0000000010 00000 n\r\n0000000055 00000 n\r\n0000000101 00000 n\r\ntrailer\n<</Size 4/Root 1 0 R>>\n\
                         startxref\n159\n%%EOF";

    #[test]
    fn what_is_no_stream_is_put_together_and_what_is_one_stays_as_it_is() {
        let packed = packed(PLAIN.as_bytes()).unwrap();
        let text = String::from_utf8_lossy(&packed);

        assert!(
            text.starts_with("%PDF-1.7\n\n3 0 obj\n<</Length 1/Filter/F>>\nstream\nx\nendstream\nendobj\n\n4 0 obj\n"),
            "{text}"
        );
        assert!(text.contains("<</Type/ObjStm/N 2/First 9/Filter/FlateDecode"), "{text}");
        assert!(text.contains("5 0 obj\n<</Type/XRef/W[1 4 2]/Size 6/Root 1 0 R/Filter/FlateDecode"), "{text}");
        assert!(!text.contains("/Type/Catalog"));
    }

    #[test]
    fn a_stream_is_compressed_unless_it_is_already_or_is_to_be_found() {
        let loose = |about: &str| {
            Object { whole: b"", body: format!("<</Length 1{about}>>\nstream\nx\nendstream").as_bytes() }
                .loose()
                .map(|(about, bytes)| (about.to_owned(), bytes.to_vec()))
        };

        assert_eq!(loose("/WMode 0"), Some(("/WMode 0".to_owned(), b"x".to_vec())));
        assert_eq!(loose("/Filter/FlateDecode"), None);
        assert_eq!(loose("/Type/Metadata/Subtype/XML"), None);
    }

    #[test]
    fn what_is_written_otherwise_is_left_alone() {
        assert!(packed(b"").is_none());
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
            assert!(PLAIN.contains(from));
            assert!(packed(PLAIN.replacen(from, to, 1).as_bytes()).is_none(), "{from} {to}");
        }
    }
}
