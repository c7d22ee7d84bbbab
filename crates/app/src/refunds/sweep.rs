//! Nightly sweep: lists the returns of each account at its provider, and records those that no refund of ours has made.

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use domain::fiscal::{end_of_day, local_date};
use ports::{ListedReturn, SweepClaim, SweptAccount};

use super::sweep_match::{Match, record_return};
use crate::{
    Error, Ports,
    payments::provider_call,
    time::{earlier, later},
};

/// The sweep of a day begins at 03:30 Dominican time, when the provider has settled the day before.
const BEGINS_AT: TimeDelta = TimeDelta::minutes(3 * 60 + 30);
/// Maximum number of missed days that a sweep lists.
const MOST_DAYS: u64 = 7;
/// Lease of an account: afterwards another worker lists its returns.
const LEASE: TimeDelta = TimeDelta::minutes(10);
/// Number of accounts in one claim.
const BATCH: u16 = 20;
/// Maximum number of claims in one sweep.
const MOST_BATCHES: usize = 1000;

/// Result of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReturnsSweep {
    /// Number of returns that name no charge of ours.
    pub unmatched: u64,
    /// Number of accounts that were not swept, and are due again after their lease.
    pub failed: u64,
}

/// Returns the beginning of the first sweep after `time`.
pub fn next_returns_sweep(time: DateTime<Utc>) -> DateTime<Utc> {
    let day = local_date(earlier(time, BEGINS_AT));
    beginning(day.succ_opt().unwrap_or(day))
}

/// Returns the beginning of the sweep of a day.
fn beginning(day: NaiveDate) -> DateTime<Utc> {
    later(end_of_day(day.pred_opt().unwrap_or(day)), BEGINS_AT + TimeDelta::seconds(1))
}

/// Sweeps the accounts with a day that was not swept yet.
///
/// If a provider's list is incomplete, the account is swept again later; the other accounts continue.
///
/// # Errors
///
/// If the store fails.
pub async fn sweep_returns(ports: &Ports) -> Result<ReturnsSweep, Error> {
    let mut sweep = ReturnsSweep::default();
    for _ in 0..MOST_BATCHES {
        let Some(now) = ports.work_time() else { return Ok(sweep) };
        let day = local_date(earlier(now, BEGINS_AT));
        let created_before = beginning(day);
        let claim = SweepClaim { day, created_before, now, lease_until: later(now, LEASE), limit: BATCH };
        let accounts = ports.refunds.accounts_to_sweep(claim).await?;
        if accounts.is_empty() {
            return Ok(sweep);
        }
        for account in &accounts {
            match sweep_account(ports, account, day, now).await {
                Ok(unmatched) => sweep.unmatched = sweep.unmatched.saturating_add(unmatched),
                Err(error) => {
                    sweep.failed = sweep.failed.saturating_add(1);
                    let error = &error as &dyn std::error::Error;
                    tracing::error!(account = %account.account, error, "the returns of an account were not swept");
                }
            }
        }
    }
    Ok(sweep)
}

/// Lists the missed days, yesterday and today, and records what is found. Returns the number of returns that name no
/// charge of ours.
async fn sweep_account(
    ports: &Ports,
    account: &SweptAccount,
    day: NaiveDate,
    now: DateTime<Utc>,
) -> Result<u64, Error> {
    let provider = provider_call::provider(ports, account.provider)?;
    let mut unmatched = 0_u64;
    for listed_day in days(account.from, day, local_date(now)) {
        let listed: Vec<ListedReturn> =
            provider.list_returns(&account.account, listed_day).await.map_err(Error::internal)?;
        for it in &listed {
            if record_return(ports, account, it).await? == Match::Unmatched {
                tracing::warn!(
                    account = %account.account,
                    reference = it.reference.as_ref().map(|reference| reference.as_str()),
                    "the provider lists a return of no charge of ours"
                );
                unmatched = unmatched.saturating_add(1);
            }
        }
    }
    ports.refunds.swept(account, day).await?;
    Ok(unmatched)
}

/// Returns the days to list: from the first that was not swept, at most seven before `day`, to today. Before the first
/// sweep of an account each day was missed.
fn days(from: Option<NaiveDate>, day: NaiveDate, today: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    let before = |days: u64| day.checked_sub_days(Days::new(days)).unwrap_or(day);
    let first = from.unwrap_or(before(MOST_DAYS)).clamp(before(MOST_DAYS), before(1));
    first.iter_days().take_while(move |listed| *listed <= today)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_sweep_lists_yesterday_and_today_and_at_most_seven_missed_days() {
        let listed = |from: Option<&str>| {
            let days = days(from.map(day), day("2026-03-10"), day("2026-03-10"));
            days.map(|day| day.to_string()).collect::<Vec<_>>()
        };

        assert_eq!(listed(None).len(), 8);
        assert_eq!(listed(Some("2026-03-09")), ["2026-03-09", "2026-03-10"]);
        assert_eq!(listed(Some("2026-03-07")), ["2026-03-07", "2026-03-08", "2026-03-09", "2026-03-10"]);
        assert_eq!(listed(Some("2026-01-01")).len(), 8);
    }

    #[test]
    fn a_sweep_begins_at_half_past_three_of_each_dominican_day() {
        let time = |text: &str| text.parse::<DateTime<Utc>>().unwrap();

        for (after, next) in [
            ("2026-03-10T07:29:59.999Z", "2026-03-10T07:30:00Z"),
            ("2026-03-10T07:30:00Z", "2026-03-11T07:30:00Z"),
            ("2026-03-10T23:00:00Z", "2026-03-11T07:30:00Z"),
            ("2026-03-11T02:00:00Z", "2026-03-11T07:30:00Z"),
        ] {
            assert_eq!(next_returns_sweep(time(after)), time(next), "{after}");
        }
    }
}
