//! Container of the objects of a PDF.
//!
//! Each cell of a table has a tag for screen readers, and each tag is an object. Hundreds of similar objects are very
//! small once they are compressed together in an object stream (ISO 32000-1, 7.5.7), which PDF/A-2 allows
//! (ISO 19005-2). The positions are in a cross-reference stream (7.5.8).

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};
use pdf_writer::{Chunk, Ref, Settings};
use ports::Unprintable;

/// Level of compression. Of 14 kB, level 9 saves 70 bytes more, and takes a third more time of the processor for the whole
/// document.
const LEVEL: u32 = 6;

/// A file under construction.
pub(crate) struct PdfFile {
    output: Vec<u8>,
    /// Objects other than streams.
    objects: Chunk,
    /// Number and begin of each object in `objects`.
    begins: Vec<(Ref, usize)>,
    /// Entry of each object number.
    entries: Vec<XrefEntry>,
    /// Reused, because its set-up takes longer than most streams.
    encoder: ZlibEncoder<Vec<u8>>,
}

impl PdfFile {
    pub(crate) fn new() -> Self {
        Self {
            // The second line marks a binary file.
            output: b"%PDF-1.7\n%\x80\x80\x80\x80\n".to_vec(),
            objects: Chunk::with_settings_and_capacity(Settings { pretty: false }, 1 << 14),
            begins: Vec::new(),
            entries: vec![XrefEntry::Free],
            encoder: ZlibEncoder::new(Vec::new(), Compression::new(LEVEL)),
        }
    }

    /// Returns a new object number.
    pub(crate) fn reserve(&mut self) -> Ref {
        self.entries.push(XrefEntry::Free);
        Ref::new(number(self.entries.len() - 1))
    }

    /// Returns the objects, to write object `id`, which is not a stream.
    pub(crate) fn object(&mut self, id: Ref) -> &mut Chunk {
        self.begins.push((id, self.objects.len()));
        &mut self.objects
    }

    /// Writes a stream that is compressed here.
    pub(crate) fn stream(&mut self, about: &str, bytes: &[u8]) -> Result<Ref, Unprintable> {
        let id = self.reserve();
        self.stream_as(id, about, bytes)?;
        Ok(id)
    }

    fn stream_as(&mut self, id: Ref, about: &str, bytes: &[u8]) -> Result<(), Unprintable> {
        self.encoder.write_all(bytes).map_err(uncompressed)?;
        let bytes = self.encoder.reset(Vec::new()).map_err(uncompressed)?;
        self.write(id, &format!("{about}/Filter/FlateDecode"), &bytes);
        Ok(())
    }

    /// Writes a stream as it is.
    pub(crate) fn ready_stream(&mut self, about: &str, bytes: &[u8]) -> Ref {
        let id = self.reserve();
        self.write(id, about, bytes);
        id
    }

    fn write(&mut self, id: Ref, about: &str, bytes: &[u8]) {
        self.set(id, XrefEntry::Offset(self.output.len()));
        let head = format!("{} 0 obj\n<<{about}/Length {}>>\nstream\n", id.get(), bytes.len());
        self.output.extend_from_slice(head.as_bytes());
        self.output.extend_from_slice(bytes);
        self.output.extend_from_slice(b"\nendstream\nendobj\n");
    }

    fn set(&mut self, id: Ref, entry: XrefEntry) {
        if let Some(place) = usize::try_from(id.get()).ok().and_then(|it| self.entries.get_mut(it)) {
            *place = entry;
        }
    }

    /// Writes the objects and the cross-references; `name` identifies the document.
    pub(crate) fn finish(mut self, root: Ref, info: Ref, name: &str) -> Result<Vec<u8>, Unprintable> {
        self.object_stream()?;
        let id = self.reserve();
        let begin = self.output.len();
        self.set(id, XrefEntry::Offset(begin));
        let widths = [1, bytes_of(begin.max(self.entries.len())), bytes_of(self.begins.len())];
        let rows: Vec<u8> = differences(&self.entries, &widths);
        let about = format!(
            "/Type/XRef/W[1 {} {}]/Size {}/Root {} 0 R/Info {} 0 R/ID[<{:032x}><{:032x}>]\
             /DecodeParms<</Predictor 12/Columns {}>>",
            widths[1],
            widths[2],
            self.entries.len(),
            root.get(),
            info.get(),
            hash(name.as_bytes()),
            hash(&self.output),
            widths.iter().sum::<usize>(),
        );
        self.stream_as(id, &about, &rows)?;
        self.output.extend_from_slice(format!("startxref\n{begin}\n%%EOF").as_bytes());
        Ok(self.output)
    }

    fn object_stream(&mut self) -> Result<(), Unprintable> {
        let (mut index, mut bodies) = (String::new(), Vec::with_capacity(self.objects.len()));
        let own = self.reserve();
        let begins = std::mem::take(&mut self.begins);
        let objects =
            std::mem::replace(&mut self.objects, Chunk::with_settings_and_capacity(Settings { pretty: false }, 0));
        let ends = begins.iter().skip(1).map(|(_, begin)| *begin).chain([objects.len()]);
        for (place, (&(id, begin), end)) in begins.iter().zip(ends).enumerate() {
            self.set(id, XrefEntry::InStream { stream: own, index: place });
            index.push_str(&format!("{} {} ", id.get(), bodies.len()));
            bodies.extend_from_slice(body(objects.as_bytes().get(begin..end).unwrap_or_default()));
            bodies.push(b'\n');
        }
        let about = format!("/Type/ObjStm/N {}/First {}", begins.len(), index.len());
        self.begins = begins;
        self.stream_as(own, &about, &[index.as_bytes(), &bodies].concat())
    }
}

fn uncompressed(error: std::io::Error) -> Unprintable {
    Unprintable { reason: format!("a stream cannot be compressed: {error}") }
}

/// Returns the content of an object without number and `endobj`.
fn body(object: &[u8]) -> &[u8] {
    let begin = object.iter().position(|it| *it == b'\n').map_or(0, |it| it + 1);
    let body = object.get(begin..).unwrap_or_default().trim_ascii();
    body.strip_suffix(b"endobj").unwrap_or(body).trim_ascii_end()
}

/// Entry of the cross-reference stream.
#[derive(Clone, Copy)]
enum XrefEntry {
    Free,
    /// Offset in the file.
    Offset(usize),
    /// Index in an object stream.
    InStream {
        stream: Ref,
        index: usize,
    },
}

impl XrefEntry {
    fn fields(self) -> [usize; 3] {
        match self {
            Self::Free => [0, 0, 0],
            Self::Offset(place) => [1, place, 0],
            Self::InStream { stream, index } => [2, usize::try_from(stream.get()).unwrap_or_default(), index],
        }
    }
}

/// Encodes each entry as difference to the one before: the predictor "up" of PNG. Successive entries differ by one.
fn differences(entries: &[XrefEntry], widths: &[usize; 3]) -> Vec<u8> {
    let encode = |entry: &XrefEntry| {
        let fields = entry.fields().into_iter().zip(widths);
        fields.flat_map(|(field, width)| field.to_be_bytes().into_iter().skip(size_of::<usize>() - width)).collect()
    };
    let mut before: Vec<u8> = vec![0; widths.iter().sum()];
    let mut rows = Vec::with_capacity(entries.len() * (before.len() + 1));
    for entry in entries {
        const UP: u8 = 2;
        let row: Vec<u8> = encode(entry);
        rows.push(UP);
        rows.extend(row.iter().zip(&before).map(|(it, before)| it.wrapping_sub(*before)));
        before = row;
    }
    rows
}

/// Returns the number of bytes that a number needs.
const fn bytes_of(number: usize) -> usize {
    let bits = usize::BITS - number.leading_zeros();
    (bits as usize).div_ceil(8)
}

fn number(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

/// Returns a hash that identifies a file: FNV-1a with 128 bits. It protects nothing.
fn hash(bytes: &[u8]) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use pdf_writer::Name;

    use super::*;

    #[test]
    fn objects_are_in_one_stream_and_streams_are_not() {
        let mut file = PdfFile::new();
        let (root, info) = (file.reserve(), file.reserve());
        file.object(info).indirect(info).dict();
        file.object(root).indirect(root).dict().pair(Name(b"Type"), Name(b"Catalog"));
        let ready = file.ready_stream("/Filter/F", b"x");
        let output = file.finish(root, info, "a name").unwrap();

        let text = String::from_utf8_lossy(&output);
        assert_eq!(ready.get(), 3);
        assert!(text.contains("3 0 obj\n<</Filter/F/Length 1>>\nstream\nx\nendstream\nendobj\n"), "{text}");
        assert!(text.contains("4 0 obj\n<</Type/ObjStm/N 2/First 8/Filter/FlateDecode"), "{text}");
        assert!(text.contains("5 0 obj\n<</Type/XRef/W[1 1 1]/Size 6/Root 1 0 R/Info 2 0 R/ID["), "{text}");
        assert!(!text.contains("/Type/Catalog"), "{text}");
    }

    #[test]
    fn the_body_of_an_object_has_no_frame() {
        assert_eq!(body(b"1 0 obj\n<</A 1>>\nendobj\n\n"), b"<</A 1>>");
        assert_eq!(body(b""), b"");
    }

    #[test]
    fn entries_are_differences() {
        let stream = Ref::new(9);
        let entries = [
            XrefEntry::Free,
            XrefEntry::Offset(0x1234),
            XrefEntry::InStream { stream, index: 0 },
            XrefEntry::InStream { stream, index: 1 },
        ];

        let rows = differences(&entries, &[1, 2, 1]);

        assert_eq!(rows, [[2, 0, 0, 0, 0], [2, 1, 0x12, 0x34, 0], [2, 1, 0xee, 0xd5, 0], [2, 0, 0, 0, 1]].concat());
    }

    #[test]
    fn a_number_has_as_many_bytes_as_it_needs() {
        assert_eq!([0, 1, 255, 256, 65_536].map(bytes_of), [0, 1, 1, 2, 3]);
    }
}
