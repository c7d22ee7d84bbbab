//! QR codes (ISO/IEC 18004) of the printed representation and the receipt page.

use qrcode::{
    Color, EcLevel,
    bits::encode_auto,
    canvas::{Canvas, MaskPattern},
    ec::construct_codewords,
    types::QrResult,
};

/// A QR code without quiet zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QrCode {
    /// Modules per side.
    pub side: usize,
    /// Whether each module is dark, row by row.
    pub modules: Vec<bool>,
}

impl QrCode {
    /// Returns the smallest code of a text, with medium error correction; `None` if the text is too long.
    ///
    /// The authority names version 8, which holds at most 192 bytes; the URL of a full document is longer.
    pub fn of(text: &str) -> Option<Self> {
        encode(text).ok()
    }
}

/// Readers accept each of the eight masks, and the code itself names its mask. To compare all eight would take most of
/// the time of the code.
fn encode(text: &str) -> QrResult<QrCode> {
    let bits = encode_auto(text.as_bytes(), EcLevel::M)?;
    let version = bits.version();
    let (data, correction) = construct_codewords(&bits.into_bytes(), version, EcLevel::M)?;
    let mut canvas = Canvas::new(version, EcLevel::M);
    canvas.draw_all_functional_patterns();
    canvas.draw_data(&data, &correction);
    canvas.apply_mask(MaskPattern::Checkerboard);
    let side = usize::try_from(version.width()).unwrap_or_default().max(1);
    Ok(QrCode { side, modules: canvas.into_colors().into_iter().map(|it| it == Color::Dark).collect() })
}
