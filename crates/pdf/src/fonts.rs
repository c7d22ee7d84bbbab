//! Fonts and widths of text. All lengths are in twips, the twentieth of a point: whole numbers.

use std::sync::Arc;

use krilla::text::{Font, GlyphId, KrillaGlyph};
use skrifa::{
    FontRef, MetadataProvider,
    charmap::Charmap,
    instance::{LocationRef, Size},
    metrics::GlyphMetrics,
};

use crate::glyph_fallback;

#[derive(Clone)]
pub(crate) struct Fonts {
    pub(crate) regular: FontFace,
    pub(crate) bold: FontFace,
}

/// One font.
#[derive(Clone)]
pub(crate) struct FontFace {
    pub(crate) font: Font,
    symbols: Charmap<'static>,
    widths: GlyphMetrics<'static>,
    /// Glyphs of the most frequent characters: Latin letters, digits and punctuation.
    cached: Arc<[Option<Glyph>]>,
    /// Font units per em.
    units_per_em: i32,
}

/// A glyph and its width in font units.
#[derive(Clone, Copy)]
struct Glyph {
    id: GlyphId,
    width: i32,
}

/// Characters below this one are cached.
const CACHED_BELOW: u32 = 0x250;

/// Minimum font size: 5 points.
const MIN_SIZE: i32 = 100;

impl Fonts {
    pub(crate) fn new() -> Option<Self> {
        Some(Self { regular: FontFace::new(notosans::REGULAR_TTF)?, bold: FontFace::new(notosans::BOLD_TTF)? })
    }
}

impl FontFace {
    fn new(data: &'static [u8]) -> Option<Self> {
        let reader = FontRef::new(data).ok()?;
        let widths = reader.glyph_metrics(Size::unscaled(), LocationRef::default());
        let units_per_em = i32::from(reader.metrics(Size::unscaled(), LocationRef::default()).units_per_em);
        let font = Font::new(data.into(), 0)?;
        let mut face = Self { font, symbols: reader.charmap(), widths, cached: Arc::new([]), units_per_em };
        face.cached = (0..CACHED_BELOW).map(|it| face.glyph(char::from_u32(it)?)).collect();
        Some(face)
    }

    /// Returns the glyph of a character.
    fn glyph(&self, symbol: char) -> Option<Glyph> {
        if let Some(cached) = self.cached.get(symbol as usize) {
            return *cached;
        }
        let glyph = self.symbols.map(symbol)?;
        let width = self.widths.advance_width(glyph).map_or(0, |it| it as i32);
        Some(Glyph { id: GlyphId::new(glyph.to_u32()), width })
    }

    /// Returns the text on one line, with only characters of the font.
    pub(crate) fn printable(&self, text: &str) -> String {
        glyph_fallback::printable(text, |symbol| self.glyph(symbol).is_some())
    }

    /// Returns the width of a printable text.
    pub(crate) fn width(&self, text: &str, size: i32) -> i32 {
        self.scaled(self.units(text), size)
    }

    /// Returns the largest size up to `size` in which a printable text fits `width`.
    pub(crate) fn fitting(&self, text: &str, size: i32, width: i32) -> i32 {
        let units = self.units(text);
        (MIN_SIZE..=size).rev().step_by(5).find(|&size| self.scaled(units, size) <= width).unwrap_or(MIN_SIZE)
    }

    fn units(&self, text: &str) -> i32 {
        text.chars().filter_map(|symbol| self.glyph(symbol)).map(|it| it.width).sum()
    }

    const fn scaled(&self, units: i32, size: i32) -> i32 {
        units.saturating_mul(size) / self.units_per_em
    }

    /// Breaks a text into lines of this width. A longer word is broken.
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

    /// Breaks a long word into lines, and returns the rest.
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

    /// Returns the glyphs of a printable text with their advances. Spanish and English need no shaping.
    #[expect(clippy::float_arithmetic, reason = "how wide a glyph is in its font is no amount of money")]
    pub(crate) fn glyphs(&self, text: &str) -> Vec<KrillaGlyph> {
        let mut from = 0;
        let glyph = |symbol: char| {
            let range = from..from + symbol.len_utf8();
            from = range.end;
            let Glyph { id, width } = self.glyph(symbol).unwrap_or(Glyph { id: GlyphId::new(0), width: 0 });
            let advance = float(width) / self.font.units_per_em();
            KrillaGlyph::new(id, advance, 0.0, 0.0, 0.0, range, None)
        };
        text.chars().map(glyph).collect()
    }
}

/// Lengths on a page are small enough for an exact `f32`.
pub(crate) const fn float(length: i32) -> f32 {
    length as f32
}
