//! Replaces characters that a font lacks by equivalent ones.

use std::{borrow::Cow, iter};

use unicode_normalization::{IsNormalized, UnicodeNormalization, char::is_combining_mark, is_nfc_quick};

/// Placeholder for a character without an equivalent.
const PLACEHOLDER: char = '?';
/// Zero-width joiner, which combines emoji.
const JOINER: char = '\u{200d}';

/// Returns the text on one line, with only characters that `has_glyph` accepts. A letter with its accent is one
/// character, and so is a combined emoji.
pub(crate) fn printable(text: &str, has_glyph: impl Fn(char) -> bool) -> String {
    if text.bytes().all(|it| matches!(it, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut printed = String::with_capacity(text.len());
    let (mut is_picture, mut is_joined) = (false, false);
    for symbol in composed(text).chars() {
        match symbol {
            JOINER => is_joined = true,
            _ if symbol.is_whitespace() => {
                printed.push(' ');
                (is_picture, is_joined) = (false, false);
            }
            _ if symbol.is_control() || is_invisible(symbol) => {}
            // A joined emoji or a skin tone is part of the emoji before.
            _ if is_picture && (is_joined || is_skin_tone(symbol)) => is_joined = false,
            _ => {
                let plain = plain(symbol, &has_glyph);
                (is_picture, is_joined) = (plain.is_none(), false);
                match plain {
                    Some(plain) => printed.push_str(&plain),
                    None => printed.push(PLACEHOLDER),
                }
            }
        }
    }
    printed
}

/// Composes letters and accents, which some systems send separately.
fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text.into(),
        _ => text.nfc().collect::<String>().into(),
    }
}

/// Returns an equivalent in characters of the font; `None` if there is none.
fn plain(symbol: char, has_glyph: &impl Fn(char) -> bool) -> Option<String> {
    match symbol {
        // Private-use characters have no common meaning.
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => None,
        _ if has_glyph(symbol) && !is_ligature(symbol) => Some(symbol.into()),
        // A combining mark that did not compose: the letter remains.
        _ if is_combining_mark(symbol) => Some(String::new()),
        // Compatibility decomposition: full width, ligatures, circled and Roman numbers, units.
        _ => iter::once(symbol)
            .nfkc()
            .map(|it| if has_glyph(it) { Some(it) } else { lookalike(it).filter(|&it| has_glyph(it)) })
            .collect(),
    }
}

/// Returns a similar character with the same meaning that Unicode does not decompose.
fn lookalike(symbol: char) -> Option<char> {
    Some(match symbol {
        '‐' | '‑' | '⁃' => '-',
        '✓' | '✔' | '☑' | '✅' => '√',
        '✕' | '✖' | '✗' | '✘' | '☒' | '❌' | '❎' => '×',
        '★' | '☆' | '⭐' | '🌟' => '*',
        '⇐' | '⟵' | '⬅' => '←',
        '⇒' | '⟶' | '➔' | '➜' | '➝' | '➞' | '➡' => '→',
        '⇑' | '⬆' => '↑',
        '⇓' | '⬇' => '↓',
        '⇔' => '↔',
        '‣' | '▶' | '➤' => '►',
        '◀' => '◄',
        '◆' => '♦',
        '♡' | '❤' => '♥',
        '❛' | '❜' => '\'',
        '❝' | '❞' => '"',
        '➕' => '+',
        '➖' => '−',
        '➗' => '÷',
        '❗' => '!',
        '、' => ',',
        '。' => '.',
        '・' => '·',
        // Digits in dark circles, in two forms.
        '❶'..='❾' => shifted(symbol, '❶', '1')?,
        '➊'..='➒' => shifted(symbol, '➊', '1')?,
        // A flag consists of the two letters of its country.
        '🇦'..='🇿' => shifted(symbol, '🇦', 'A')?,
        _ => return None,
    })
}

/// Returns the character at the distance from `to` that `symbol` has from `from`.
fn shifted(symbol: char, from: char, to: char) -> Option<char> {
    char::from_u32(u32::from(to) + u32::from(symbol) - u32::from(from))
}

/// Whether a character is several letters, which text searches expect separately.
const fn is_ligature(symbol: char) -> bool {
    matches!(symbol, 'ﬀ'..='ﬆ')
}

/// Whether a character modifies the skin tone of an emoji.
const fn is_skin_tone(symbol: char) -> bool {
    matches!(symbol, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether a character is an invisible formatting hint. Fonts may have a glyph for these, but PDF/A forbids them.
const fn is_invisible(symbol: char) -> bool {
    matches!(symbol,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
