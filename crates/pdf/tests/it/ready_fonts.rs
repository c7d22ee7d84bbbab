//! The fonts in the repository are those that the example makes.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::slices::ready_font;

/// The compressed bytes depend on the processor, so their contents are compared.
#[test]
fn the_ready_fonts_are_what_the_example_makes() {
    for (font, is_bold, ready) in [
        (notosans::REGULAR_TTF, false, include_bytes!("../../fonts/regular.bin").as_slice()),
        (notosans::BOLD_TTF, true, include_bytes!("../../fonts/bold.bin").as_slice()),
    ] {
        let (made, ready) = (uncompressed(&ready_font(font, is_bold)), uncompressed(ready));

        assert!(made == ready, "run `cargo run -p pdf --example ready_fonts`");
        assert!(made.len() > 20, "{} slices", made.len());
    }
}

/// Characters with widths, font file, and map to Unicode.
type Slice = (Vec<u8>, Vec<u8>, Vec<u8>);

fn uncompressed(file: &[u8]) -> Vec<Slice> {
    let mut rest = file;
    let count = number(&mut rest);
    let slices = (0..count).map(|_| {
        let characters = usize::from(bytes(&mut rest, 1)[0]);
        let characters = bytes(&mut rest, 4 * characters).to_vec();
        let length = number(&mut rest);
        let [program, to_unicode] = [stream(&mut rest), stream(&mut rest)];
        assert_eq!(program.len(), length);
        (characters, program, to_unicode)
    });
    let slices = slices.collect();
    assert!(rest.is_empty());
    slices
}

fn stream(rest: &mut &[u8]) -> Vec<u8> {
    let length = number(rest);
    let mut stream = Vec::new();
    ZlibDecoder::new(bytes(rest, length)).read_to_end(&mut stream).expect("a compressed stream");
    stream
}

fn number(rest: &mut &[u8]) -> usize {
    let bytes = bytes(rest, 2);
    usize::from(u16::from_be_bytes([bytes[0], bytes[1]]))
}

fn bytes<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (bytes, after) = rest.split_at(count);
    *rest = after;
    bytes
}
