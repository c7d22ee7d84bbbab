use std::fmt::Write;

use qrcode::{
    Color, EcLevel,
    bits::encode_auto,
    canvas::{Canvas, MaskPattern},
    ec::construct_codewords,
    types::QrResult,
};

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
        let (width, modules) = modules(&url).ok()?;
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
        Some(Self { url, side: width + 2 * QUIET, path })
    }
}

/// Returns the number of modules per side, and the modules row by row.
///
/// Readers accept each of the eight masks, and the code itself names its mask. To compare all eight would take most of
/// the time of the page.
fn modules(url: &str) -> QrResult<(usize, Vec<Color>)> {
    let bits = encode_auto(url.as_bytes(), EcLevel::M)?;
    let version = bits.version();
    let (data, correction) = construct_codewords(&bits.into_bytes(), version, EcLevel::M)?;
    let mut canvas = Canvas::new(version, EcLevel::M);
    canvas.draw_all_functional_patterns();
    canvas.draw_data(&data, &correction);
    canvas.apply_mask(MaskPattern::Checkerboard);
    Ok((usize::try_from(version.width()).unwrap_or_default().max(1), canvas.into_colors()))
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write as _,
        process::{Command, Stdio},
    };

    use super::*;

    /// An independent reader decodes the code.
    #[test]
    fn the_code_is_read_as_the_url() {
        const SCALE: usize = 4;
        let url =
            "https://fc.dgii.gov.do/testecf/ConsultaTimbreFC?RncEmisor=130000001&ENCF=E320000000001&MontoTotal=1770.00";
        let (width, modules) = modules(url).unwrap();
        let side = (width + 2 * QUIET) * SCALE;
        let is_dark = |row: usize, column: usize| {
            let place = (row / SCALE).checked_sub(QUIET).zip((column / SCALE).checked_sub(QUIET));
            place.is_some_and(|(row, column)| {
                row < width && column < width && modules[row * width + column] == Color::Dark
            })
        };
        let mut picture = format!("P1\n{side} {side}\n");
        for place in 0..side * side {
            picture.push_str(if is_dark(place / side, place % side) { "1 " } else { "0 " });
        }

        let mut reader = Command::new("zbarimg");
        reader.args(["--raw", "--quiet", "pbm:-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut reader = reader.spawn().unwrap();
        reader.stdin.take().unwrap().write_all(picture.as_bytes()).unwrap();
        let read = reader.wait_with_output().unwrap();

        assert_eq!(String::from_utf8_lossy(&read.stdout).trim(), url);
    }

    /// The first row of a QR code contains two of its three finder patterns, which are seven modules wide.
    #[test]
    fn the_first_row_contains_two_finder_patterns() {
        let qr = Qr::of("https://ecf.dgii.gov.do/".to_owned()).unwrap();

        assert!(qr.path.starts_with("M4 4h7v1h-7z"), "{}", qr.path);
        assert!(qr.path.contains(&format!("M{} 4h7v1h-7z", qr.side - 4 - 7)), "{}", qr.path);
        assert_eq!(qr.side % 4, 1, "17 modules, 4 for each version, and 8 of the quiet zone");
    }
}
