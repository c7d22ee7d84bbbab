//! Amounts to measure and measured numbers.

use std::{path::PathBuf, process::Command, time::Duration};

use super::machine::Used;
use crate::{
    chore::{Done, released},
    steps::output,
};

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(super) payments: u32,
    pub(super) rounds: usize,
    pub(super) seconds: u32,
    /// So many events wait for one endpoint.
    pub(super) waiting: u32,
    /// Cards are submitted for so many seconds.
    pub(super) cards: u32,
    /// So many documents are due at once.
    pub(super) documents: u32,
    /// The register has so many taxpayers.
    pub(super) taxpayers: u32,
    /// Whole sales of one measurement.
    pub(super) sales: u64,
    /// Rounds of whole sales.
    pub(super) sale_rounds: usize,
}

impl Size {
    /// Enough to quote.
    pub(crate) const FULL: Self = Self {
        payments: 1_000_000,
        rounds: 5,
        seconds: 3,
        waiting: 100_000,
        cards: 30,
        documents: 5_000,
        taxpayers: 800_000,
        sales: 1_000,
        sale_rounds: 5,
    };
    /// Sizes for a check of the bench.
    pub(crate) const QUICK: Self = Self {
        payments: 20_000,
        rounds: 1,
        seconds: 1,
        waiting: 10_000,
        cards: 3,
        documents: 200,
        taxpayers: 20_000,
        sales: 200,
        sale_rounds: 1,
    };
}

/// Measurement of one load.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    /// Operations that were done.
    pub(crate) operations: u64,
    /// How long that took.
    pub(crate) took: Duration,
    /// Half of them took at most so many microseconds.
    pub(crate) half_within: u64,
    /// Of a hundred, 99 took at most so many microseconds.
    pub(crate) most_within: u64,
    /// Those that ended otherwise than they should.
    pub(crate) failed: u64,
    /// Processor time.
    pub(crate) used: Used,
    /// The most memory that the server had meanwhile, in kilobytes; 0 for the database alone.
    pub(crate) memory: u64,
}

/// Runs an example program with `arguments` and returns the output.
pub(super) fn example(name: &str, arguments: &[String]) -> Done<String> {
    output(name, Command::new(released("examples").join(name)).args(arguments))
}

/// Returns a whole number in a line of JSON.
pub(super) fn number(json: &str, name: &str) -> Done<u64> {
    let after = json.split_once(&format!("\"{name}\":")).ok_or_else(|| format!("no {name} in {json}"))?.1;
    let digits = after.split(|it: char| !it.is_ascii_digit()).next().unwrap_or_default();
    Ok(digits.parse()?)
}

/// Inputs of every load.
pub(crate) struct Load {
    pub(crate) payments: u32,
    /// Values of a payment for the database, by name.
    pub(crate) values: Vec<(&'static str, String)>,
    pub(crate) files: PathBuf,
}

impl Load {
    /// A file of payments' names.
    pub(crate) fn names(&self) -> PathBuf {
        self.files.join("names")
    }

    /// A file of API keys.
    pub(crate) fn keys(&self) -> PathBuf {
        self.files.join("keys")
    }
}
