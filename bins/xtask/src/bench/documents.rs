//! Fiscal documents: the cost of one, from an example program of the PDF crate, and the rate at which the server issues
//! due documents.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{
    machine::Processes,
    measured::{Measured, Size, example, number},
    tables::Tables,
};
use crate::chore::Done;

/// Timeout for all documents.
const ISSUE_TIMEOUT: Duration = Duration::from_secs(180);

/// Processor time of one document, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Costs {
    pub(crate) lines: u64,
    pub(crate) rsa: u64,
    pub(crate) signed: u64,
    pub(crate) checked: u64,
    pub(crate) printed: u64,
    pub(crate) signed_of_rsa: Ratio,
    pub(crate) checked_of_rsa: Ratio,
    /// Length of the PDF in bytes.
    pub(crate) paper: u64,
}

/// Rate in thousandths of another rate in the same round: minimum, median and maximum of the rounds.
pub(crate) type Ratio = [u64; 3];

/// Writes, signs, verifies and prints one document over and over, so many seconds each.
pub(super) fn costs(seconds: u32) -> Done<Costs> {
    eprintln!("== what a document costs");
    read(&example("documents", &[seconds.to_string()])?)
}

fn read(json: &str) -> Done<Costs> {
    Ok(Costs {
        lines: number(json, "lines")?,
        rsa: number(json, "rsaMicroseconds")?,
        signed: number(json, "signedMicroseconds")?,
        checked: number(json, "checkedMicroseconds")?,
        printed: number(json, "printedMicroseconds")?,
        signed_of_rsa: ratio(json, "signedOfRsa")?,
        checked_of_rsa: ratio(json, "checkedOfRsa")?,
        paper: number(json, "pdfBytes")?,
    })
}

fn ratio(json: &str, name: &str) -> Done<Ratio> {
    Ok([number(json, &format!("{name}Least"))?, number(json, name)?, number(json, &format!("{name}Most"))?])
}

/// Makes the documents of paid sales due, and measures how fast the server issues them: numbered, signed, stored, sent to
/// the simulated authority, accepted, printed, with events.
pub(super) fn issue(size: Size, tables: &Tables, processes: &Processes) -> Done<Measured> {
    eprintln!("== {} documents that are due", size.documents);
    let documents = u64::from(size.documents);
    tables.prepare_due(size.payments, size.documents)?;

    processes.forget_memory()?;
    let before = processes.used()?;
    let begun = Instant::now();
    tables.make_due()?;
    let mut left = documents;
    while left > 0 && begun.elapsed() < ISSUE_TIMEOUT {
        thread::sleep(Duration::from_millis(250));
        left = tables.count_unissued()?;
    }
    let took = begun.elapsed();
    let used = processes.used()? - before;
    let memory = processes.most_memory()?;
    Ok(Measured { operations: documents - left, took, failed: left, used, memory, ..Measured::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_the_program_is_parsed() {
        let json = r#"{"lines":15,"rsaMicroseconds":600,"signedMicroseconds":650,"checkedMicroseconds":700,"printedMicroseconds":4000,"signedOfRsa":920,"signedOfRsaLeast":900,"signedOfRsaMost":930,"checkedOfRsa":860,"checkedOfRsaLeast":850,"checkedOfRsaMost":870,"xmlBytes":9000,"pdfBytes":41000}"#;
        let costs = Costs {
            lines: 15,
            rsa: 600,
            signed: 650,
            checked: 700,
            printed: 4000,
            signed_of_rsa: [900, 920, 930],
            checked_of_rsa: [850, 860, 870],
            paper: 41_000,
        };

        assert_eq!(read(json).unwrap(), costs);
        assert!(read("{}").is_err());
    }
}
