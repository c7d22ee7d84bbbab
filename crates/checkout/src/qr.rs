use std::fmt::Write;

use qrcode::{Color, EcLevel, QrCode};

/// An address as a QR code, with the quiet zone that readers want around it.
pub(crate) struct Qr {
    pub(crate) address: String,
    /// How many modules it has on a side.
    pub(crate) side: usize,
    /// Its dark modules, as an SVG path: those beside each other are drawn as one.
    pub(crate) path: String,
}

/// Modules around the code.
const QUIET: usize = 4;

impl Qr {
    /// The smallest code of medium correction that opens `address`.
    pub(crate) fn of(address: String) -> Option<Self> {
        let code = QrCode::with_error_correction_level(address.as_str(), EcLevel::M).ok()?;
        let (width, modules) = (code.width(), code.into_colors());
        let mut path = String::new();
        for (row, modules) in modules.chunks(width).enumerate() {
            let mut column = 0;
            while column < width {
                let length = modules.iter().skip(column).take_while(|it| **it == Color::Dark).count();
                if length > 0 {
                    write!(path, "M{} {}h{length}v1h-{length}z", column + QUIET, row + QUIET).ok()?;
                }
                column += length.max(1);
            }
        }
        Some(Self { address, side: width + 2 * QUIET, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three corners of seven modules begin every code, on its first row two of them.
    #[test]
    fn a_code_begins_with_its_corners() {
        let qr = Qr::of("https://ecf.dgii.gov.do/".to_owned()).unwrap();

        assert!(qr.path.starts_with("M4 4h7v1h-7z"), "{}", qr.path);
        assert!(qr.path.contains(&format!("M{} 4h7v1h-7z", qr.side - 4 - 7)), "{}", qr.path);
        assert_eq!(qr.side % 4, 1, "17 and four for each version, and eight around it");
    }
}
