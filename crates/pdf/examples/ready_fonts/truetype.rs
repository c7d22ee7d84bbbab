//! Writes a TrueType font with the tables that a PDF needs: ISO 32000-1, 9.9.

use crate::outline::Point;

/// A glyph with its advance.
pub(crate) struct Glyph {
    pub(crate) advance: u16,
    pub(crate) contours: Vec<Vec<Point>>,
}

/// Vertical metrics of the whole font.
pub(crate) struct Metrics {
    pub(crate) units_per_em: u16,
    pub(crate) ascent: i16,
    pub(crate) descent: i16,
}

/// Corners of a box.
#[derive(Clone, Copy, Default)]
struct Bounds {
    left: i16,
    bottom: i16,
    right: i16,
    top: i16,
}

/// Returns a font whose glyphs have the codes from `first_code` on, after the glyph of missing characters.
pub(crate) fn font(metrics: &Metrics, first_code: u16, glyphs: &[Glyph]) -> Vec<u8> {
    let missing = Glyph { advance: 0, contours: Vec::new() };
    let all: Vec<&Glyph> = std::iter::once(&missing).chain(glyphs).collect();
    // One box holds each glyph: boxes of their own would be a tenth of the compressed file.
    let box_ = bounds(&all);
    let (mut outlines, mut places) = (Vec::new(), vec![0_u16]);
    for glyph in &all {
        outlines.extend(outline(glyph, box_));
        places.push(u16::try_from(outlines.len() / 2).expect("less than 128 kB of outlines"));
    }
    let mut tables = [
        (*b"cmap", character_map(first_code, glyphs.len())),
        (*b"glyf", outlines),
        (*b"head", head(metrics, box_)),
        (*b"hhea", horizontal_head(metrics, &all, box_)),
        (*b"hmtx", all.iter().flat_map(|it| words(&[it.advance.cast_signed(), box_.left])).collect()),
        (*b"loca", places.iter().flat_map(|it| it.to_be_bytes()).collect()),
        (*b"maxp", maximums(&all)),
    ];
    assemble(&mut tables)
}

fn words(numbers: &[i16]) -> Vec<u8> {
    numbers.iter().flat_map(|it| it.to_be_bytes()).collect()
}

fn small(number: i32) -> i16 {
    i16::try_from(number).expect("a coordinate of a glyph")
}

fn bounds(glyphs: &[&Glyph]) -> Bounds {
    let points = || glyphs.iter().flat_map(|it| it.contours.iter().flatten());
    let bounds = || {
        Some(Bounds {
            left: small(points().map(|it| it.x).min()?),
            bottom: small(points().map(|it| it.y).min()?),
            right: small(points().map(|it| it.x).max()?),
            top: small(points().map(|it| it.y).max()?),
        })
    };
    bounds().unwrap_or_default()
}

/// Encodes a simple glyph; an empty one has no bytes.
fn outline(glyph: &Glyph, box_: Bounds) -> Vec<u8> {
    let contours = &glyph.contours;
    if contours.is_empty() {
        return Vec::new();
    }
    let Bounds { left, bottom, right, top } = box_;
    let mut bytes = words(&[small(contours.len().try_into().expect("few contours")), left, bottom, right, top]);
    let mut end = 0;
    for contour in contours {
        end += contour.len();
        bytes.extend(u16::try_from(end - 1).expect("few points").to_be_bytes());
    }
    bytes.extend([0, 0]); // no instructions
    let (mut flags, mut xs, mut ys) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = (0, 0);
    for point in contours.iter().flatten() {
        let flag = u8::from(point.is_on)
            | step(point.x - at.0, 0x02, 0x10, &mut xs)
            | step(point.y - at.1, 0x04, 0x20, &mut ys);
        flags.push(flag);
        at = (point.x, point.y);
    }
    bytes.extend(repeated(&flags));
    bytes.extend(xs);
    bytes.extend(ys);
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    bytes
}

/// Appends the distance to the point before, and returns its flags.
fn step(distance: i32, is_short: u8, is_same_or_positive: u8, to: &mut Vec<u8>) -> u8 {
    match distance {
        0 => is_same_or_positive,
        1..=255 => {
            to.push(u8::try_from(distance).expect("a byte"));
            is_short | is_same_or_positive
        }
        -255..=-1 => {
            to.push(u8::try_from(-distance).expect("a byte"));
            is_short
        }
        _ => {
            to.extend(small(distance).to_be_bytes());
            0
        }
    }
}

/// Encodes three or more equal flags as one with a count.
fn repeated(flags: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for equal in flags.chunk_by(|one, other| one == other).flat_map(|it| it.chunks(256)) {
        match equal {
            [_] | [_, _] => bytes.extend(equal),
            [flag, more @ ..] => bytes.extend([flag | 0x08, u8::try_from(more.len()).expect("at most 255")]),
            [] => {}
        }
    }
    bytes
}

/// Maps the codes of a symbolic font, in one segment.
fn character_map(first_code: u16, count: usize) -> Vec<u8> {
    let first = 0xf000 + first_code;
    let last = first + u16::try_from(count).expect("at most 224 codes") - 1;
    let one_segment = [4, 32, 0, 4, 4, 1, 0, last, 0xffff, 0, first, 0xffff, 1_u16.wrapping_sub(first), 1, 0, 0];
    let header = [0, 1, 3, 0, 0, 12];
    header.iter().chain(&one_segment).flat_map(|it: &u16| it.to_be_bytes()).collect()
}

fn head(metrics: &Metrics, box_: Bounds) -> Vec<u8> {
    let mut bytes = vec![0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x5f, 0x0f, 0x3c, 0xf5, 0, 3];
    bytes.extend(metrics.units_per_em.to_be_bytes());
    bytes.extend([0; 16]); // dates
    bytes.extend(words(&[box_.left, box_.bottom, box_.right, box_.top]));
    // No style, smallest size, direction, short offsets, format.
    bytes.extend(words(&[0, 6, 2, 0, 0]));
    bytes
}

fn horizontal_head(metrics: &Metrics, glyphs: &[&Glyph], box_: Bounds) -> Vec<u8> {
    let widest = glyphs.iter().map(|it| it.advance).max().unwrap_or_default().cast_signed();
    let least = glyphs.iter().map(|it| it.advance).min().unwrap_or_default().cast_signed();
    let count = i16::try_from(glyphs.len()).expect("few glyphs");
    let (ascent, descent) = (metrics.ascent, metrics.descent);
    words(&[1, 0, ascent, descent, 0, widest, box_.left, least - box_.right, box_.right, 1, 0, 0, 0, 0, 0, 0, 0, count])
}

fn maximums(glyphs: &[&Glyph]) -> Vec<u8> {
    let most = |of: fn(&Glyph) -> usize| i16::try_from(glyphs.iter().map(|it| of(it)).max().unwrap_or_default());
    let points = most(|it| it.contours.iter().map(Vec::len).sum()).expect("few points");
    let contours = most(|it| it.contours.len()).expect("few contours");
    let count = i16::try_from(glyphs.len()).expect("few glyphs");
    words(&[1, 0, count, points, contours, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
}

/// Writes the directory and the tables, which are in the order of their names.
fn assemble(tables: &mut [([u8; 4], Vec<u8>)]) -> Vec<u8> {
    let count = u16::try_from(tables.len()).expect("few tables");
    let power = 1 << count.ilog2();
    let mut file: Vec<u8> = vec![0, 1, 0, 0];
    file.extend(
        [count, 16 * power, u16::try_from(power.ilog2()).expect("small"), 16 * (count - power)]
            .iter()
            .flat_map(|it| it.to_be_bytes()),
    );
    let mut place = 12 + 16 * tables.len();
    for (name, table) in tables.iter_mut() {
        let length = table.len();
        table.resize(length.next_multiple_of(4), 0);
        file.extend(*name);
        for number in [sum(table), u32::try_from(place).expect("small"), u32::try_from(length).expect("small")] {
            file.extend(number.to_be_bytes());
        }
        place += table.len();
    }
    let head = place_of_head(tables, file.len()) + 8;
    file.extend(tables.iter().flat_map(|(_, table)| table.iter().copied()));
    let adjustment = 0xb1b0_afba_u32.wrapping_sub(sum(&file));
    file[head..head + 4].copy_from_slice(&adjustment.to_be_bytes());
    file
}

fn place_of_head(tables: &[([u8; 4], Vec<u8>)], first: usize) -> usize {
    first + tables.iter().take_while(|(name, _)| name != b"head").map(|(_, table)| table.len()).sum::<usize>()
}

fn sum(table: &[u8]) -> u32 {
    table.as_chunks::<4>().0.iter().fold(0, |sum, it| sum.wrapping_add(u32::from_be_bytes(*it)))
}
