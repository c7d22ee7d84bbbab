//! An independent reader decodes the codes.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use qr_code::QrCode;

/// Pixels of a module.
const SCALE: usize = 4;
/// Width of the quiet zone in modules.
const QUIET: usize = 4;

#[test]
fn a_code_is_read_as_its_text() {
    let url =
        "https://fc.dgii.gov.do/testecf/ConsultaTimbreFC?RncEmisor=130000001&ENCF=E320000000001&MontoTotal=1770.00";

    assert_eq!(read(&QrCode::of(url).unwrap()), url);
}

#[test]
fn a_text_that_is_too_long_has_no_code() {
    assert_eq!(QrCode::of(&"a".repeat(3000)), None);
}

/// Draws a code as a portable bitmap, and reads the bitmap with `zbarimg`.
fn read(code: &QrCode) -> String {
    let side = (code.side + 2 * QUIET) * SCALE;
    let is_dark = |row: usize, column: usize| {
        let place = (row / SCALE).checked_sub(QUIET).zip((column / SCALE).checked_sub(QUIET));
        let inside = place.filter(|(row, column)| *row < code.side && *column < code.side);
        inside.is_some_and(|(row, column)| code.modules[row * code.side + column])
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
    String::from_utf8_lossy(&read.stdout).trim().to_owned()
}
