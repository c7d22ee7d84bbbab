//! QR code.

use ports::Unprintable;
use qrcode::{
    Color, EcLevel,
    bits::encode_auto,
    canvas::{Canvas, MaskPattern},
    ec::construct_codewords,
    types::QrResult,
};

/// Pixels of a module in each direction: viewers that blur the edges of pixels blur only a part of a module.
pub(crate) const PIXELS: i32 = 4;

/// A QR code: modules row by row.
pub(crate) struct QrCode {
    /// Modules per side.
    pub(crate) side: i32,
    modules: Vec<Color>,
}

/// Returns the smallest QR code with medium error correction.
///
/// The authority names version 8, which holds at most 192 bytes; the URL of a full document is longer.
pub(crate) fn qr_code(address: &str) -> Result<QrCode, Unprintable> {
    let (side, modules) =
        modules(address).map_err(|_| Unprintable { reason: "the address does not fit a QR code".to_owned() })?;
    Ok(QrCode { side: i32::try_from(side).unwrap_or(1), modules })
}

impl QrCode {
    /// Returns the code as an image mask: a bit per pixel, 0 where it is dark, and each row in whole bytes.
    pub(crate) fn mask(&self) -> Vec<u8> {
        let pixels = PIXELS as usize;
        let mut mask = Vec::new();
        for modules in self.modules.chunks(self.side.max(1) as usize) {
            let light = |index: usize| modules.get(index / pixels).is_none_or(|it| *it == Color::Light);
            let byte = |byte: usize| (8 * byte..8 * byte + 8).fold(0, |bits, pixel| bits << 1 | u8::from(light(pixel)));
            let row: Vec<u8> = (0..(modules.len() * pixels).div_ceil(8)).map(byte).collect();
            (0..pixels).for_each(|_| mask.extend_from_slice(&row));
        }
        mask
    }
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
