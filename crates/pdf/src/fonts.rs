//! Fonts and widths of text. All lengths are in twips, the twentieth of a point: whole numbers.

use std::sync::Arc;

use crate::{
    glyph_fallback,
    ready_fonts::{self, FIRST_CODE, Slice, UNITS_PER_EM},
};

#[derive(Clone)]
pub(crate) struct Fonts {
    pub(crate) regular: FontFace,
    pub(crate) bold: FontFace,
}

/// One font.
#[derive(Clone)]
pub(crate) struct FontFace {
    pub(crate) slices: Arc<[Slice]>,
    /// Glyphs of the most frequent characters: Latin letters, digits and punctuation.
    frequent: Arc<[Option<Glyph>]>,
    /// Glyphs of the other characters, in their order.
    others: Arc<[(char, Glyph)]>,
}

/// A glyph and its width in font units.
#[derive(Clone, Copy)]
struct Glyph {
    slice: usize,
    code: u8,
    width: i32,
}

/// Characters below this one are frequent.
const FREQUENT_BELOW: u32 = 0x250;

/// Minimum font size: 5 points.
const MIN_SIZE: i32 = 100;

impl Fonts {
    pub(crate) fn new() -> Option<Self> {
        let regular = FontFace::new(include_bytes!("../fonts/regular.bin"))?;
        Some(Self { regular, bold: FontFace::new(include_bytes!("../fonts/bold.bin"))? })
    }

    pub(crate) const fn face(&self, is_bold: bool) -> &FontFace {
        if is_bold { &self.bold } else { &self.regular }
    }
}

impl FontFace {
    fn new(file: &'static [u8]) -> Option<Self> {
        let slices = ready_fonts::read(file)?;
        let mut frequent = vec![None; usize::try_from(FREQUENT_BELOW).ok()?];
        let mut others = Vec::new();
        for (slice, content) in slices.iter().enumerate() {
            for (code, &(character, width)) in (FIRST_CODE..).zip(&content.characters).filter(|(_, it)| it.0 != '\0') {
                let glyph = Glyph { slice, code, width };
                match frequent.get_mut(character as usize) {
                    Some(place) => *place = Some(glyph),
                    None => others.push((character, glyph)),
                }
            }
        }
        others.sort_unstable_by_key(|(character, _)| *character);
        Some(Self { slices: slices.into(), frequent: frequent.into(), others: others.into() })
    }

    /// Returns the glyph of a character.
    fn glyph(&self, symbol: char) -> Option<Glyph> {
        if let Some(frequent) = self.frequent.get(symbol as usize) {
            return *frequent;
        }
        let place = self.others.binary_search_by_key(&symbol, |(character, _)| *character).ok()?;
        self.others.get(place).map(|(_, glyph)| *glyph)
    }

    /// Returns the text on one line, with only characters of the font.
    pub(crate) fn printable(&self, text: &str) -> String {
        glyph_fallback::printable(text, |symbol| self.glyph(symbol).is_some())
    }

    /// Returns the width of a printable text.
    pub(crate) fn width(&self, text: &str, size: i32) -> i32 {
        Self::scaled(self.units(text), size)
    }

    /// Returns the largest size up to `size` in which a printable text fits `width`.
    pub(crate) fn fitting(&self, text: &str, size: i32, width: i32) -> i32 {
        let units = self.units(text);
        (MIN_SIZE..=size).rev().step_by(5).find(|&size| Self::scaled(units, size) <= width).unwrap_or(MIN_SIZE)
    }

    fn units(&self, text: &str) -> i32 {
        text.chars().filter_map(|symbol| self.glyph(symbol)).map(|it| it.width).sum()
    }

    const fn scaled(units: i32, size: i32) -> i32 {
        units.saturating_mul(size) / UNITS_PER_EM
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

    /// Returns the codes of a printable text in runs of one slice. Spanish and English need no shaping.
    pub(crate) fn runs(&self, text: &str) -> Vec<(usize, Vec<u8>)> {
        let mut runs: Vec<(usize, Vec<u8>)> = Vec::new();
        for glyph in text.chars().filter_map(|symbol| self.glyph(symbol)) {
            match runs.last_mut() {
                Some((slice, codes)) if *slice == glyph.slice => codes.push(glyph.code),
                _ => runs.push((glyph.slice, vec![glyph.code])),
            }
        }
        runs
    }
}

/// Lengths on a page are small enough for an exact `f32`.
pub(crate) const fn float(length: i32) -> f32 {
    length as f32
}
