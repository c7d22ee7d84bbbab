//! Fonts that are divided into slices, each compressed and ready to be embedded. `examples/ready_fonts` makes them.

use std::ops::Range;

/// First code of a slice. All codes are printable ASCII, which a PDF shows as they are.
pub(crate) const FIRST_CODE: u8 = b' ';
/// Font units per em of the widths.
pub(crate) const UNITS_PER_EM: i32 = 2048;

/// Characters of a font that are embedded together.
pub(crate) struct Slice {
    /// Character and width for each code. Codes without a character have `\0`.
    pub(crate) characters: Vec<(char, i32)>,
    /// Length of the font file before compression.
    pub(crate) program_length: u16,
    /// Font file, compressed.
    pub(crate) program: &'static [u8],
    /// Map from codes to Unicode, compressed.
    pub(crate) to_unicode: &'static [u8],
}

impl Slice {
    pub(crate) fn codes(&self) -> Range<u8> {
        FIRST_CODE..FIRST_CODE + u8::try_from(self.characters.len()).unwrap_or_default()
    }
}

/// Reads the slices of a font.
pub(crate) fn read(file: &'static [u8]) -> Option<Vec<Slice>> {
    let mut reader = Reader(file);
    let slices = (0..reader.number()?).map(|_| reader.slice()).collect::<Option<_>>()?;
    reader.0.is_empty().then_some(slices)
}

struct Reader(&'static [u8]);

impl Reader {
    fn slice(&mut self) -> Option<Slice> {
        let count = *self.bytes(1)?.first()?;
        let characters = (0..count).map(|_| self.character()).collect::<Option<_>>()?;
        let program_length = self.number()?;
        Some(Slice { characters, program_length, program: self.stream()?, to_unicode: self.stream()? })
    }

    fn character(&mut self) -> Option<(char, i32)> {
        Some((char::from_u32(self.number()?.into())?, self.number()?.into()))
    }

    fn stream(&mut self) -> Option<&'static [u8]> {
        let length = self.number()?;
        self.bytes(length.into())
    }

    fn number(&mut self) -> Option<u16> {
        let bytes = self.bytes(2)?;
        Some(u16::from_be_bytes(bytes.try_into().ok()?))
    }

    fn bytes(&mut self, count: usize) -> Option<&'static [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }
}
