//! Card charges through the AZUL adapter to the simulated acquirer, at a fixed rate. An example program of the adapter
//! generates the load and contains both ends.

use std::time::Duration;

use super::measured::{Measured, example, number};
use crate::chore::Done;

/// Cards in a second.
const RATE: u32 = 200;
/// Both ends together may have so much, in kilobytes.
pub(super) const MOST_MEMORY: u64 = 150 * 1024;

/// Submits cards for this number of seconds.
pub(super) fn measure(seconds: u32) -> Done<Measured> {
    eprintln!("== {RATE} cards a second for {seconds} s through the adapter");
    read(&example("load", &[RATE.to_string(), seconds.to_string()])?)
}

/// Returns the fault of a measurement.
pub(super) fn fault(it: &Measured) -> Option<String> {
    let pace = u64::from(RATE) * 95 / 100;
    let reached = u128::from(it.operations) * 1_000_000 / it.took.as_micros().max(1);
    if it.failed > 0 {
        Some(format!("{} of {} cards were not approved", it.failed, it.operations))
    } else if it.memory > MOST_MEMORY {
        Some(format!("{} cards a second took {} MB", RATE, it.memory / 1024))
    } else if reached < u128::from(pace) {
        Some(format!("{reached} cards a second got through instead of {RATE}"))
    } else {
        None
    }
}

fn read(json: &str) -> Done<Measured> {
    Ok(Measured {
        operations: number(json, "operations")?,
        failed: number(json, "failed")?,
        took: Duration::from_micros(number(json, "tookMicroseconds")?),
        half_within: number(json, "halfWithinMicroseconds")?,
        most_within: number(json, "mostWithinMicroseconds")?,
        memory: number(json, "memoryKilobytes")?,
        ..Measured::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"{"failed":0,"halfWithinMicroseconds":900,"memoryKilobytes":40960,"mostWithinMicroseconds":4000,"operations":2000,"tookMicroseconds":10005000}"#;

    #[test]
    fn output_of_the_program_is_parsed() {
        let it = read(REPORT).unwrap();

        assert_eq!((it.operations, it.failed, it.took), (2000, 0, Duration::from_micros(10_005_000)));
        assert_eq!((it.half_within, it.most_within, it.memory), (900, 4000, 40_960));
        assert!(read("{}").is_err());
    }

    #[test]
    fn a_card_too_few_a_pace_too_slow_and_memory_too_much_are_faults() {
        let good = read(REPORT).unwrap();
        let slow = Measured { took: good.took * 2, ..good };

        assert_eq!(fault(&good), None);
        assert!(fault(&Measured { failed: 1, ..good }).is_some_and(|it| it.contains("1 of 2000")));
        assert!(fault(&Measured { memory: MOST_MEMORY + 1, ..good }).is_some_and(|it| it.contains("150 MB")));
        assert!(fault(&slow).is_some_and(|it| it.contains("instead of 200")));
    }
}
