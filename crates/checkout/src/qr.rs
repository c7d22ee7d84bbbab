use std::fmt::Write;

use qr_code::QrCode;

/// A URL as a QR code with quiet zone.
pub(crate) struct Qr {
    pub(crate) url: String,
    /// Modules per side.
    pub(crate) side: usize,
    /// Dark modules as an SVG path, one rectangle per horizontal run.
    pub(crate) path: String,
}

/// Width of the quiet zone in modules.
const QUIET: usize = 4;

impl Qr {
    /// Encodes `url` with medium error correction.
    pub(crate) fn of(url: String) -> Option<Self> {
        let QrCode { side: width, modules } = QrCode::of(&url)?;
        let mut path = String::new();
        for (row, modules) in modules.chunks(width).enumerate() {
            let mut column = 0;
            while column < width {
                let length = modules.iter().skip(column).take_while(|it| **it).count();
                if length > 0 {
                    write!(path, "M{} {}h{length}v1h-{length}z", column + QUIET, row + QUIET).ok()?;
                }
                column += length.max(1);
            }
        }
        Some(Self { url, side: width + 2 * QUIET, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first row of a QR code contains two of its three finder patterns, which are seven modules wide.
    #[test]
    fn the_first_row_contains_two_finder_patterns() {
        let qr = Qr::of("https://ecf.dgii.gov.do/".to_owned()).unwrap();

        assert!(qr.path.starts_with("M4 4h7v1h-7z"), "{}", qr.path);
        assert!(qr.path.contains(&format!("M{} 4h7v1h-7z", qr.side - 4 - 7)), "{}", qr.path);
        assert_eq!(qr.side % 4, 1, "17 modules, 4 for each version, and 8 of the quiet zone");
    }
}
