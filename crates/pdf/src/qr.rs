//! QR code.

use ports::Unprintable;

/// Pixels of a module in each direction: viewers that blur the edges of pixels blur only a part of a module.
pub(crate) const PIXELS: i32 = 4;

/// A QR code: modules row by row.
pub(crate) struct QrCode {
    /// Modules per side.
    pub(crate) side: i32,
    modules: Vec<bool>,
}

/// Returns the QR code of a URL.
pub(crate) fn qr_code(address: &str) -> Result<QrCode, Unprintable> {
    let code = qr_code::QrCode::of(address);
    let code = code.ok_or_else(|| Unprintable { reason: "the address does not fit a QR code".to_owned() })?;
    Ok(QrCode { side: i32::try_from(code.side).unwrap_or(1), modules: code.modules })
}

impl QrCode {
    /// Returns the code as an image mask: a bit per pixel, 0 where it is dark, and each row in whole bytes.
    pub(crate) fn mask(&self) -> Vec<u8> {
        let pixels = PIXELS as usize;
        let mut mask = Vec::new();
        for modules in self.modules.chunks(self.side.max(1) as usize) {
            let light = |index: usize| modules.get(index / pixels).is_none_or(|is_dark| !is_dark);
            let byte = |byte: usize| (8 * byte..8 * byte + 8).fold(0, |bits, pixel| bits << 1 | u8::from(light(pixel)));
            let row: Vec<u8> = (0..(modules.len() * pixels).div_ceil(8)).map(byte).collect();
            (0..pixels).for_each(|_| mask.extend_from_slice(&row));
        }
        mask
    }
}
