//! Divides a font into slices that are small enough to embed whole.

use std::{collections::BTreeSet, io::Write};

use flate2::{Compression, write::ZlibEncoder};
use ttf_parser::Face;

use crate::{
    outline::contours,
    truetype::{Glyph, Metrics, font},
};

/// First code of a slice. All codes are printable ASCII, which a PDF shows as they are.
const FIRST_CODE: u8 = b' ';
/// Characters of a slice: from space to tilde.
const MOST: usize = 95;
/// Font units per em of the ready fonts: those of widths in a PDF.
const UNITS_PER_EM: u16 = 1000;
/// Distance of the grid on which the points of outlines are: a point moves by at most 0.002 em, which is 0.017 points
/// in text of 8.5 points. A grid twice as fine adds a twelfth to the size of a font.
const GRID: i32 = 4;

/// First slice of both fonts: the characters of almost every document, for each code. A character of ASCII has its own
/// code, and accented letters have those of characters that are seldom needed. Both fonts thus have the same map to Unicode.
const FREQUENT: &str =
    "   #$%& ()  + ,-./0123456789:  =  ABCDEFGHIJKLMNOPQRSTUVWXYZ   áéíabcdefghijklmnopqrstuvwxyzóúñÑ";
/// What the first slice of the bold font lacks: its texts are titles, numbers, amounts and names.
const NOT_BOLD: &str = "#%&()+/=HJKQWXYkwñÑ";
/// The next slices: other letters and signs of Spanish, then those of its neighbours.
const NEXT: [&str; 2] =
    ["!\"#%&'()*+/;=?@_HJKQWXYkwñÑüÁÉÍÓÚÜ¿¡«»“”‘’–—…·•ºª°", "<>[\\]^`{|}~çÇàèìòùâêîôûäëïöãõ€£¢₡™®©²³½¼¾√×÷→"];

/// Returns the regular or the bold font in slices, as the server reads it.
pub(crate) fn ready_font(data: &[u8], is_bold: bool) -> Vec<u8> {
    let face = Face::parse(data, 0).expect("the font of a library");
    let slices = slices(&face, is_bold);
    let mut file = u16::try_from(slices.len()).expect("few slices").to_be_bytes().to_vec();
    for (index, slice) in slices.iter().enumerate() {
        let mapped: Vec<_> = if index == 0 { frequent().collect() } else { slice.clone() };
        file.push(u8::try_from(slice.len()).expect("at most 95"));
        for character in slice {
            let number = character.map_or(0, u32::from);
            file.extend(u16::try_from(number).expect("a character of two bytes").to_be_bytes());
            file.extend(character.map_or(0, |it| advance(&face, it)).to_be_bytes());
        }
        let program = program(&face, slice);
        file.extend(u16::try_from(program.len()).expect("less than 64 kB").to_be_bytes());
        for stream in [compressed(&program), compressed(to_unicode(&mapped).as_bytes())] {
            file.extend(u16::try_from(stream.len()).expect("less than 64 kB").to_be_bytes());
            file.extend(stream);
        }
    }
    file
}

/// Returns the character of each code in each slice; a code without a character has none.
fn slices(face: &Face<'_>, is_bold: bool) -> Vec<Vec<Option<char>>> {
    let mut rest = characters(face);
    let is_here = |it: char| !(is_bold && NOT_BOLD.contains(it));
    let mut slices: Vec<Vec<_>> = vec![frequent().map(|it| it.filter(|it| is_here(*it) && rest.remove(it))).collect()];
    slices.extend(NEXT.map(|wanted| wanted.chars().filter(|it| rest.remove(it)).map(Some).collect()));
    let rest: Vec<_> = rest.into_iter().map(Some).collect();
    slices.extend(rest.chunks(MOST).map(<[_]>::to_vec));
    slices
}

/// Returns the character of each code in the first slice.
fn frequent() -> impl Iterator<Item = Option<char>> {
    FREQUENT.chars().enumerate().map(|(place, it)| (it != ' ' || place == 0).then_some(it))
}

/// Returns the characters that may be printed: without control characters, private ones, and ligatures.
fn characters(face: &Face<'_>) -> BTreeSet<char> {
    let mut characters = BTreeSet::new();
    for table in face.tables().cmap.expect("a character map").subtables.into_iter().filter(|it| it.is_unicode()) {
        table.codepoints(|code| characters.extend(char::from_u32(code)));
    }
    characters.retain(|it| {
        !it.is_control() && !matches!(it, '\u{e000}'..='\u{f8ff}' | 'ﬀ'..='ﬆ') && face.glyph_index(*it).is_some()
    });
    characters
}

/// Returns the advance in the units of the original font, in which texts are placed.
fn advance(face: &Face<'_>, character: char) -> u16 {
    face.glyph_index(character).and_then(|it| face.glyph_hor_advance(it)).unwrap_or_default()
}

fn program(face: &Face<'_>, slice: &[Option<char>]) -> Vec<u8> {
    let scaled = |length: i32| {
        let from = i32::from(face.units_per_em());
        (2 * length * i32::from(UNITS_PER_EM) + from).div_euclid(2 * from)
    };
    let glyph = |character: &Option<char>| match *character {
        Some(character) => Glyph {
            advance: u16::try_from(scaled(advance(face, character).into())).expect("a width"),
            contours: contours(face, face.glyph_index(character).expect("it has one"), UNITS_PER_EM.into(), GRID),
        },
        None => Glyph { advance: 0, contours: Vec::new() },
    };
    let metrics = Metrics {
        units_per_em: UNITS_PER_EM,
        ascent: i16::try_from(scaled(face.ascender().into())).expect("a height"),
        descent: i16::try_from(scaled(face.descender().into())).expect("a depth"),
    };
    font(&metrics, FIRST_CODE.into(), &slice.iter().map(glyph).collect::<Vec<_>>())
}

/// Returns the map from codes to Unicode: ISO 32000-1, 9.10.3.
fn to_unicode(slice: &[Option<char>]) -> String {
    let entries: Vec<(u8, u32)> =
        (FIRST_CODE..).zip(slice).filter_map(|(code, it)| Some((code, u32::from((*it)?)))).collect();
    let are_successive =
        |one: &(u8, u32), two: &(u8, u32)| two.0 == one.0 + 1 && two.1 == one.1 + 1 && one.1 >> 8 == two.1 >> 8;
    let ranges: Vec<&[(u8, u32)]> = entries.chunk_by(are_successive).collect();
    let mut map =
        "/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName/Codes def\n/CMapType 2 def\n\
                   1 begincodespacerange\n<00><ff>\nendcodespacerange\n"
            .to_owned();
    for ranges in ranges.chunks(100) {
        map.push_str(&format!("{} beginbfrange\n", ranges.len()));
        for range in ranges {
            let ((first, unicode), (last, _)) = (range[0], range[range.len() - 1]);
            map.push_str(&format!("<{first:02x}><{last:02x}><{unicode:04x}>\n"));
        }
        map.push_str("endbfrange\n");
    }
    map + "endcmap\nend\nend"
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}
