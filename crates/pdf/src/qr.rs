//! QR code.

use ports::Unprintable;
use qrcode::{
    Color, EcLevel,
    bits::encode_auto,
    canvas::{Canvas, MaskPattern},
    ec::construct_codewords,
    types::QrResult,
};

/// A QR code with the number of modules per side.
pub(crate) struct QrCode {
    pub(crate) side: i32,
    pub(crate) dark: Vec<Run>,
}

/// Adjacent dark modules. As one shape they have no gaps.
pub(crate) struct Run {
    pub(crate) row: i32,
    pub(crate) column: i32,
    pub(crate) length: i32,
}

/// Returns the smallest QR code with medium error correction.
///
/// The authority names version 8, which holds at most 192 bytes; the URL of a full document is longer.
pub(crate) fn qr_code(address: &str) -> Result<QrCode, Unprintable> {
    let (width, modules) =
        modules(address).map_err(|_| Unprintable { reason: "the address does not fit a QR code".to_owned() })?;
    let mut dark: Vec<Run> = Vec::new();
    for (row, modules) in (0..).zip(modules.chunks(width)) {
        for (column, _) in (0..).zip(modules).filter(|(_, module)| **module == Color::Dark) {
            match dark.last_mut() {
                Some(run) if run.row == row && run.column + run.length == column => run.length += 1,
                _ => dark.push(Run { row, column, length: 1 }),
            }
        }
    }
    Ok(QrCode { side: i32::try_from(width).unwrap_or_default(), dark })
}

/// Returns the number of modules per side, and the modules row by row.
///
/// Readers accept each of the eight masks, and the code itself names its mask. To compare all eight would take a fifth
/// of the time of the whole page.
fn modules(address: &str) -> QrResult<(usize, Vec<Color>)> {
    let bits = encode_auto(address.as_bytes(), EcLevel::M)?;
    let version = bits.version();
    let (data, correction) = construct_codewords(&bits.into_bytes(), version, EcLevel::M)?;
    let mut canvas = Canvas::new(version, EcLevel::M);
    canvas.draw_all_functional_patterns();
    canvas.draw_data(&data, &correction);
    canvas.apply_mask(MaskPattern::Checkerboard);
    Ok((usize::try_from(version.width()).unwrap_or_default().max(1), canvas.into_colors()))
}
