use std::{process::Command, time::Duration};

use super::{
    measured::{Load, Measured},
    tables::fixture,
};
use crate::chore::Done;

/// The server's work: requests of one kind, each connection with one at a time.
pub(crate) fn run(kind: &str, run: &str, connections: u32, seconds: u32, address: &str, load: &Load) -> Done<Measured> {
    let output = Command::new("wrk")
        .args([format!("-t{}", connections.min(2)), format!("-c{connections}"), format!("-d{seconds}s")])
        .args(["--timeout", "10s", "-s"])
        .arg(fixture("http.lua"))
        .args([address, "--", kind, run])
        .args([load.keys(), load.names(), fixture("payment.json")])
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers = text.lines().find_map(|line| line.strip_prefix("measured ")).map(read);
    numbers.flatten().ok_or_else(|| format!("wrk: {text}{}", String::from_utf8_lossy(&output.stderr)).into())
}

/// Parses the last line of the script. Broken connections count as failed operations.
fn read(line: &str) -> Option<Measured> {
    let numbers = line.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>().ok()?;
    let [operations, took, half_within, most_within, refused, broken] = numbers[..] else { return None };
    Some(Measured {
        operations,
        took: Duration::from_micros(took),
        half_within,
        most_within,
        failed: refused + broken,
        ..Measured::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_the_script_is_understood() {
        let measured = read("6000 3000000 4100 12000 2 1").unwrap();

        assert_eq!((measured.operations, measured.took, measured.failed), (6000, Duration::from_secs(3), 3));
        assert_eq!((measured.half_within, measured.most_within), (4100, 12_000));
        assert!(read("6000 3000000").is_none());
    }
}
