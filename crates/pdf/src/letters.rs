//! Texts of symbols that a face has: what it lacks is spelled with what it has, where that says the same.

use std::{borrow::Cow, iter};

use unicode_normalization::{IsNormalized, UnicodeNormalization, char::is_combining_mark, is_nfc_quick};

/// Printed where nothing else says what a symbol says.
const STRANGER: char = '?';
/// Makes one picture of two.
const JOINER: char = '\u{200d}';

/// The text as it can be printed: on one line, of symbols that are there. A letter and its accent are one symbol, and so
/// is a picture of several.
pub(crate) fn printable(text: &str, is_there: impl Fn(char) -> bool) -> String {
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
            // What is joined to a picture, or colours it, is part of it.
            _ if is_picture && (is_joined || is_skin(symbol)) => is_joined = false,
            _ => {
                let plain = plain(symbol, &is_there);
                (is_picture, is_joined) = (plain.is_none(), false);
                match plain {
                    Some(plain) => printed.push_str(&plain),
                    None => printed.push(STRANGER),
                }
            }
        }
    }
    printed
}

/// With accents on their letters: some systems send them behind.
fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text.into(),
        _ => text.nfc().collect::<String>().into(),
    }
}

/// What says the same as `symbol` in symbols that are there; `None` if nothing does.
fn plain(symbol: char, is_there: &impl Fn(char) -> bool) -> Option<String> {
    match symbol {
        // What is private to a face says nothing to others.
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => None,
        _ if is_there(symbol) && !is_ligature(symbol) => Some(symbol.into()),
        // Around or above a letter that stands there without it.
        _ if is_combining_mark(symbol) => Some(String::new()),
        // By Unicode it is another form of these: full width, a ligature, a circle, a Roman number, a unit.
        _ => iter::once(symbol)
            .nfkc()
            .map(|it| if is_there(it) { Some(it) } else { twin(it).filter(|&it| is_there(it)) })
            .collect(),
    }
}

/// What looks like a symbol and means the same, though not by Unicode.
fn twin(symbol: char) -> Option<char> {
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
        // Digits in dark circles, of two kinds.
        '❶'..='❾' => lettered(symbol, '❶', '1')?,
        '➊'..='➒' => lettered(symbol, '➊', '1')?,
        // A flag is the two letters of its country.
        '🇦'..='🇿' => lettered(symbol, '🇦', 'A')?,
        _ => return None,
    })
}

/// The symbol that stands as far from `to` as `symbol` does from `from`.
fn lettered(symbol: char, from: char, to: char) -> Option<char> {
    char::from_u32(u32::from(to) + u32::from(symbol) - u32::from(from))
}

/// Whether a symbol is several letters: whoever looks for a word in a file spells it with those.
const fn is_ligature(symbol: char) -> bool {
    matches!(symbol, 'ﬀ'..='ﬆ')
}

/// Whether a symbol says of which colour the skin of a picture is.
const fn is_skin(symbol: char) -> bool {
    matches!(symbol, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether a symbol is a hint for whoever sets a text, and nothing that is seen: some come with what is pasted, a face may
/// have a glyph for them all the same, and an archived document must not.
const fn is_invisible(symbol: char) -> bool {
    matches!(symbol,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
