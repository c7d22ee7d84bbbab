//! Fonts, and how wide they are. All lengths are in twips, the twentieth of a point: whole numbers.

use std::sync::Arc;

use krilla::text::{Font, GlyphId, KrillaGlyph};
use skrifa::{
    FontRef, MetadataProvider,
    charmap::Charmap,
    instance::{LocationRef, Size},
    metrics::GlyphMetrics,
};

use crate::{letters, pen};

/// The two faces of everything that is printed.
#[derive(Clone)]
pub(crate) struct Faces {
    pub(crate) regular: Face,
    pub(crate) bold: Face,
}

/// One face.
#[derive(Clone)]
pub(crate) struct Face {
    pub(crate) font: Font,
    symbols: Charmap<'static>,
    widths: GlyphMetrics<'static>,
    /// Those of the symbols that are used most: of Latin letters, digits and marks.
    usual: Arc<[Option<Sort>]>,
    /// How many of its own units are its size.
    units_in_size: i32,
}

/// A glyph, and how wide it is in the units of its font, of which it has whole ones.
#[derive(Clone, Copy)]
struct Sort {
    glyph: GlyphId,
    width: i32,
}

/// Symbols before this one are looked up once.
const UNUSUAL: u32 = 0x250;

/// No text is printed smaller: 5 points.
const LEAST: i32 = 100;

impl Faces {
    pub(crate) fn new() -> Option<Self> {
        Some(Self { regular: Face::new(notosans::REGULAR_TTF)?, bold: Face::new(notosans::BOLD_TTF)? })
    }
}

impl Face {
    fn new(data: &'static [u8]) -> Option<Self> {
        let reader = FontRef::new(data).ok()?;
        let widths = reader.glyph_metrics(Size::unscaled(), LocationRef::default());
        let units_in_size = i32::from(reader.metrics(Size::unscaled(), LocationRef::default()).units_per_em);
        let font = Font::new(data.into(), 0)?;
        let mut face = Self { font, symbols: reader.charmap(), widths, usual: Arc::new([]), units_in_size };
        face.usual = (0..UNUSUAL).map(|it| face.sort(char::from_u32(it)?)).collect();
        Some(face)
    }

    /// What there is of a symbol.
    fn sort(&self, symbol: char) -> Option<Sort> {
        if let Some(usual) = self.usual.get(symbol as usize) {
            return *usual;
        }
        let glyph = self.symbols.map(symbol)?;
        let width = self.widths.advance_width(glyph).map_or(0, |it| it as i32);
        Some(Sort { glyph: GlyphId::new(glyph.to_u32()), width })
    }

    /// The text as it can be printed: on one line, of symbols that the face has.
    pub(crate) fn printable(&self, text: &str) -> String {
        letters::printable(text, |symbol| self.sort(symbol).is_some())
    }

    /// How wide a printable text is in that size.
    pub(crate) fn width(&self, text: &str, size: i32) -> i32 {
        self.scaled(self.units(text), size)
    }

    /// The greatest size, up to `size`, in which a printable text is no wider than `width`.
    pub(crate) fn fitting(&self, text: &str, size: i32, width: i32) -> i32 {
        let units = self.units(text);
        (LEAST..=size).rev().step_by(5).find(|&size| self.scaled(units, size) <= width).unwrap_or(LEAST)
    }

    fn units(&self, text: &str) -> i32 {
        text.chars().filter_map(|symbol| self.sort(symbol)).map(|it| it.width).sum()
    }

    const fn scaled(&self, units: i32, size: i32) -> i32 {
        units.saturating_mul(size) / self.units_in_size
    }

    /// The lines of a text that may be so wide. A word that is wider alone is cut.
    pub(crate) fn wrapped(&self, text: &str, size: i32, width: i32) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = String::new();
        for word in self.printable(text).split(' ').filter(|it| !it.is_empty()) {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if self.width(&longer, size) <= width {
                line = longer;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line = self.cut(word, size, width, &mut lines);
        }
        if !line.is_empty() {
            lines.push(line);
        }
        lines
    }

    /// Puts what is too wide of a word into lines of its own, and returns the rest.
    fn cut(&self, word: &str, size: i32, width: i32, lines: &mut Vec<String>) -> String {
        let mut rest = String::new();
        for symbol in word.chars() {
            rest.push(symbol);
            if self.width(&rest, size) > width && rest.chars().count() > 1 {
                rest.pop();
                lines.push(std::mem::take(&mut rest));
                rest.push(symbol);
            }
        }
        rest
    }

    /// The glyphs of a printable text, each with its own advance: the languages that we print need no shaping.
    #[expect(clippy::float_arithmetic, reason = "how wide a glyph is in its font is no amount of money")]
    pub(crate) fn glyphs(&self, text: &str) -> Vec<KrillaGlyph> {
        let mut from = 0;
        let glyph = |symbol: char| {
            let range = from..from + symbol.len_utf8();
            from = range.end;
            let Sort { glyph, width } = self.sort(symbol).unwrap_or(Sort { glyph: GlyphId::new(0), width: 0 });
            let advance = pen::float(width) / self.font.units_per_em();
            KrillaGlyph::new(glyph, advance, 0.0, 0.0, 0.0, range, None)
        };
        text.chars().map(glyph).collect()
    }
}
