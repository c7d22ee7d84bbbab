use std::fs;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use ports::Clock;
use sandbox::{ClockFileError, ClockMoveError, MovableClock};
use tempfile::TempDir;

/// Two readings of clocks that run, but for the seconds that a slow machine may take.
#[track_caller]
fn assert_close(one: DateTime<Utc>, other: DateTime<Utc>) {
    assert!((one - other).abs() < TimeDelta::seconds(60), "{one} and {other}");
}

#[test]
fn it_shows_real_time_until_it_is_moved() {
    let (moved, real) = (MovableClock::new(), MovableClock::new());

    moved.advance(3600).unwrap();

    assert_close(moved.now(), real.now() + TimeDelta::hours(1));
}

#[test]
fn it_shows_whole_milliseconds() {
    let clock = MovableClock::new();

    let shown = clock.advance(1).unwrap();

    assert_eq!(shown, shown.trunc_subsecs(3));
    assert_eq!(clock.now(), clock.now().trunc_subsecs(3));
}

#[test]
fn it_runs_on_after_it_is_set() {
    let clock = MovableClock::new();
    let noon = testkit::sample::noon();

    let shown = clock.set(noon).unwrap();

    assert_eq!(shown, noon);
    assert!(clock.now() >= noon);
    assert_close(clock.now(), noon);
}

#[test]
fn its_offset_survives_a_restart() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("clock");
    let before = MovableClock::open(&path).unwrap();
    before.advance(86_400).unwrap();
    before.advance(86_400).unwrap();

    let after = MovableClock::open(&path).unwrap();

    assert_close(after.now(), before.now());
    assert_close(after.now(), MovableClock::new().now() + TimeDelta::days(2));
}

#[test]
fn it_shows_no_time_that_cannot_be_spelled() {
    let clock = MovableClock::new();

    for seconds in [u64::MAX, i64::MAX.unsigned_abs(), 300_000_000_000] {
        assert!(matches!(clock.advance(seconds), Err(ClockMoveError::OutOfRange)), "{seconds}");
    }
    assert!(matches!(clock.set(DateTime::<Utc>::MAX_UTC), Err(ClockMoveError::OutOfRange)));
    assert!(matches!(clock.set(DateTime::<Utc>::MIN_UTC), Err(ClockMoveError::OutOfRange)));
    assert_close(clock.now(), MovableClock::new().now());
}

#[test]
fn a_file_without_an_offset_is_not_guessed_at() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("clock");

    for text in ["", "soon", "1.5", "9223372036854775807"] {
        fs::write(&path, text).unwrap();
        assert!(matches!(MovableClock::open(&path), Err(ClockFileError::Damaged)), "{text:?}");
    }
}
