//! The QR code.

use fast_qr::{ECL, QRBuilder};
use ports::Unprintable;

/// A QR code, and how many modules it has on a side.
pub(crate) struct Squares {
    pub(crate) side: i32,
    pub(crate) dark: Vec<Run>,
}

/// Dark modules beside each other: drawn as one, they leave no gaps.
pub(crate) struct Run {
    pub(crate) row: i32,
    pub(crate) column: i32,
    pub(crate) length: i32,
}

/// The smallest QR code of medium correction that opens `address`.
///
/// The authority names version 8, which holds at most 192 bytes; the address of a full document is longer.
pub(crate) fn squares(address: &str) -> Result<Squares, Unprintable> {
    let code = QRBuilder::new(address)
        .ecl(ECL::M)
        .build()
        .map_err(|_| Unprintable { reason: "the address does not fit a QR code".to_owned() })?;
    let mut dark: Vec<Run> = Vec::new();
    for (row, modules) in (0..).zip((0..code.size).map(|row| &code[row])) {
        for (column, _) in (0..).zip(modules).filter(|(_, module)| module.value()) {
            match dark.last_mut() {
                Some(run) if run.row == row && run.column + run.length == column => run.length += 1,
                _ => dark.push(Run { row, column, length: 1 }),
            }
        }
    }
    Ok(Squares { side: i32::try_from(code.size).unwrap_or_default(), dark })
}
