//! Whole sales for ten minutes at half the rate that the server reaches: whether memory grows, or responses slow down.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::{machine, shop::Shop, tables::Tables};
use crate::{chore::Done, postgres::Server};

/// Duration of the load.
const DURATION: Duration = Duration::from_secs(600);
/// First and last part of the load, which are compared.
const MINUTE: Duration = Duration::from_secs(60);
/// Sales that show the rate of the server.
const TRIAL: u64 = 500;

/// Memory and times of the first and the last minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steady {
    /// Sales in a second, in thousandths.
    pub(crate) rate: u64,
    pub(crate) failed: u64,
    /// Kilobytes after the first minute and at the end.
    pub(crate) memory: [u64; 2],
    /// Of a hundred sales of the minute, 99 were complete within so many microseconds.
    pub(crate) most_within: [u64; 2],
}

/// Sells on PostgreSQL.
pub(super) fn measure(server: &Server, tables: &Tables, folder: &Path) -> Done<Steady> {
    let shop = Shop::open(server, tables, folder, "steady")?;
    let begun = Instant::now();
    shop.sell(TRIAL, None, "trial")?;
    let pace = 2 * begun.elapsed() / u32::try_from(TRIAL)?;
    let sales = u64::try_from(DURATION.as_micros() / pace.as_micros().max(1))?;
    eprintln!("== {sales} sales in {} s", DURATION.as_secs());

    let process = shop.process();
    let (sold, first) = thread::scope(|scope| {
        let first = scope.spawn(|| {
            thread::sleep(MINUTE);
            machine::memory(process).map_err(|error| error.to_string())
        });
        let sold = shop.sell(sales, Some(pace), "steady");
        (sold, first.join())
    });
    let (sold, first) = (sold?, first.map_err(|_| "the memory was not read")??);
    let last = DURATION.saturating_sub(MINUTE);
    Ok(Steady {
        rate: 1_000_000_000 / u64::try_from(pace.as_micros())?.max(1),
        failed: sold.failed,
        memory: [first, machine::memory(process)?],
        most_within: [
            most_within(&sold.begun, &sold.times, |it| it < MINUTE),
            most_within(&sold.begun, &sold.times, |it| it >= last),
        ],
    })
}

/// Returns the time within which 99 of a hundred of the selected sales were complete.
fn most_within(begun: &[Duration], times: &[u64], is_it: impl Fn(Duration) -> bool) -> u64 {
    let mut times: Vec<u64> = begun.iter().zip(times).filter(|(begun, _)| is_it(**begun)).map(|it| *it.1).collect();
    times.sort_unstable();
    times.get(times.len() * 99 / 100).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_one_minute_are_compared() {
        let begun: Vec<Duration> = (0..200).map(Duration::from_secs).collect();
        let times: Vec<u64> = (0..200).collect();

        assert_eq!(most_within(&begun, &times, |it| it < MINUTE), 59);
        assert_eq!(most_within(&begun, &times, |it| it >= Duration::from_secs(100)), 199);
        assert_eq!(most_within(&[], &[], |_| true), 0);
    }
}
