//! Fonts, the QR code and the colour profile: what the pages share.

use std::collections::{BTreeMap, BTreeSet};

use pdf_writer::{
    Name, Ref, TextStr,
    types::{FontFlags, OutputIntentSubtype},
    writers::{OutputIntent, Resources},
};
use ports::Unprintable;

use crate::{
    file::PdfFile,
    fonts::{Fonts, float},
    page_writer::{FontSlice, QR_CODE_NAME},
    qr::{PIXELS, QrCode},
    ready_fonts::{FIRST_CODE, Slice, UNITS_PER_EM},
};

/// The colour space sRGB, from Compact ICC Profiles (CC0).
const SRGB: &[u8] = include_bytes!("srgb.icc");
/// Font units per em in a PDF.
const EM: i32 = 1000;
/// Heights of the fonts, and the box of all glyphs of the largest ones.
const ASCENT: i32 = 1069;
const DESCENT: i32 = -293;
const CAPITAL: i32 = 714;
const WIDEST: i32 = 3000;

/// Writes the resources of all pages.
pub(crate) fn write(
    id: Ref,
    used: &BTreeSet<FontSlice>,
    fonts: &Fonts,
    qr_code: &QrCode,
    file: &mut PdfFile,
) -> Result<(), Unprintable> {
    let picture = write_qr_code(qr_code, file)?;
    let mut written = Vec::new();
    let mut maps: BTreeMap<&[u8], Ref> = BTreeMap::new();
    for slice in used {
        let ready = fonts.face(slice.is_bold).slices.get(slice.slice);
        let ready = ready.ok_or_else(|| Unprintable { reason: "a font is incomplete".to_owned() })?;
        let to_unicode =
            *maps.entry(ready.to_unicode).or_insert_with(|| file.ready_stream("/Filter/FlateDecode", ready.to_unicode));
        written.push((slice.name(), write_font(*slice, ready, to_unicode, file)));
    }
    let mut resources: Resources<'_> = file.object(id).indirect(id).start();
    resources.x_objects().pair(Name(QR_CODE_NAME.as_bytes()), picture);
    let mut names = resources.fonts();
    for (name, font) in &written {
        names.pair(Name(name.as_bytes()), *font);
    }
    Ok(())
}

fn write_qr_code(qr_code: &QrCode, file: &mut PdfFile) -> Result<Ref, Unprintable> {
    let side = qr_code.side * PIXELS;
    let about = format!("/Type/XObject/Subtype/Image/Width {side}/Height {side}/ImageMask true");
    file.stream(&about, &qr_code.mask())
}

/// Writes a symbolic font: the codes are those of its own character map.
fn write_font(slice: FontSlice, ready: &Slice, to_unicode: Ref, file: &mut PdfFile) -> Ref {
    let style = if slice.is_bold { "Bold" } else { "Regular" };
    let tag = char::from(b'A' + u8::try_from(slice.slice % 26).unwrap_or_default());
    let name = format!("COBRO{tag}+NotoSans-{style}");
    let program = file.ready_stream(&format!("/Filter/FlateDecode/Length1 {}", ready.program_length), ready.program);
    let descriptor = file.reserve();
    file.object(descriptor)
        .font_descriptor(descriptor)
        .name(Name(name.as_bytes()))
        .flags(FontFlags::SYMBOLIC)
        .bbox(pdf_writer::Rect::new(float(-EM), float(DESCENT), float(WIDEST), float(ASCENT)))
        .italic_angle(0.0)
        .ascent(float(ASCENT))
        .descent(float(DESCENT))
        .cap_height(float(CAPITAL))
        .stem_v(if slice.is_bold { 150.0 } else { 90.0 })
        .font_file2(program);

    let id = file.reserve();
    let mut font = file.object(id).indirect(id).dict();
    font.pair(Name(b"Type"), Name(b"Font")).pair(Name(b"Subtype"), Name(b"TrueType"));
    font.pair(Name(b"BaseFont"), Name(name.as_bytes()));
    font.pair(Name(b"FirstChar"), i32::from(FIRST_CODE));
    font.pair(Name(b"LastChar"), i32::from(ready.codes().end) - 1);
    font.insert(Name(b"Widths")).array().items(ready.characters.iter().map(|(_, width)| scaled(*width)));
    font.pair(Name(b"FontDescriptor"), descriptor).pair(Name(b"ToUnicode"), to_unicode);
    id
}

/// Returns a width in the units of a PDF.
const fn scaled(width: i32) -> i32 {
    (2 * width * EM + UNITS_PER_EM).div_euclid(2 * UNITS_PER_EM)
}

/// Writes the array with the colours that the document means: ISO 19005-2, 6.2.3.
pub(crate) fn write_output_intents(file: &mut PdfFile) -> Result<Ref, Unprintable> {
    let profile = file.stream("/N 3", SRGB)?;
    let id = file.reserve();
    let mut intents = file.object(id).indirect(id).array();
    let mut intent: OutputIntent<'_> = intents.push().start();
    intent
        .subtype(OutputIntentSubtype::PDFA)
        .output_condition_identifier(TextStr("sRGB"))
        .info(TextStr("sRGB"))
        .dest_output_profile(profile);
    Ok(id)
}
