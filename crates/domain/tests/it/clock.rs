use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::clock::{ClockFault, TimeReference};

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
}

#[test]
fn clocks_may_differ_by_a_minute_less_half_the_round_trip() {
    let check = |ours: i64, round_trip: i64, fault: Option<ClockFault>| {
        let skew = TimeReference::Clock(at(0)).compare(at(ours), TimeDelta::seconds(round_trip)).unwrap();
        assert_eq!(skew.fault(), fault, "{ours} {round_trip}");
    };

    check(0, 0, None);
    check(60, 0, None);
    check(61, 0, Some(ClockFault::Ahead(TimeDelta::seconds(61))));
    check(65, 10, None);
    check(66, 10, Some(ClockFault::Ahead(TimeDelta::seconds(61))));
    check(-60, 0, None);
    check(-55, 12, Some(ClockFault::Behind(TimeDelta::seconds(61))));
    check(-3600 * 25, 0, Some(ClockFault::Behind(TimeDelta::hours(25))));
    check(86_400 * 402, 1, Some(ClockFault::Ahead(TimeDelta::days(402) - TimeDelta::milliseconds(500))));
}

#[test]
fn without_a_second_clock_only_a_time_before_the_newest_stored_instant_is_a_fault() {
    let compare = |newest: Option<i64>, ours: i64| {
        TimeReference::NewestStored(newest.map(at)).compare(at(ours), TimeDelta::zero())
    };

    assert_eq!(compare(None, -86_400), None);
    assert_eq!(compare(Some(0), 86_400).unwrap().fault(), None);
    assert_eq!(compare(Some(0), -60).unwrap().fault(), None);
    let behind = ClockFault::BehindStored(TimeDelta::seconds(61));
    assert_eq!(compare(Some(0), -61).unwrap().fault(), Some(behind));
}

#[test]
fn a_comparison_with_a_long_round_trip_has_no_result() {
    assert_eq!(TimeReference::Clock(at(0)).compare(at(500), TimeDelta::seconds(61)), None);
}

#[test]
fn a_step_since_the_comparison_counts_at_once() {
    let skew = TimeReference::Clock(at(0)).compare(at(10), TimeDelta::zero()).unwrap();

    assert_eq!(skew.after_step(TimeDelta::hours(4)).fault(), Some(ClockFault::Ahead(TimeDelta::seconds(14_410))));
    assert_eq!(skew.after_step(TimeDelta::seconds(-20)).fault(), None);
}
