//! Findings about refunds and credit notes.

use chrono::{DateTime, TimeDelta, Utc};
use domain::fiscal::{DocumentKind, RangeState, local_date};
use ports::{Queue, RefundBacklog};

use super::{
    checkup::{Finding, Severity},
    survey::TenantSetup,
};

/// Age from which an owed credit note is a failure.
const OWED_TOO_LONG: TimeDelta = TimeDelta::hours(24);

/// Checks that merchants with a range of numbers for credit notes have numbers left. A merchant without such a range
/// issues no credit notes.
pub fn of_credit_note_numbers(surveyed: &[TenantSetup], now: DateTime<Utc>) -> Finding {
    let today = local_date(now);
    let (mut remarks, mut with_range) = (Vec::new(), 0_usize);
    for tenant in surveyed {
        let Some(state) = tenant.setup.issuer.kinds(today).get(&DocumentKind::CreditNote).copied() else { continue };
        with_range += 1;
        let severity = match state {
            RangeState::Open => continue,
            RangeState::Low => Severity::Warn,
            RangeState::Expired | RangeState::Exhausted => Severity::Fail,
        };
        remarks.push((severity, format!("those of {}: {}", tenant.name(), state.as_str())));
    }
    let otherwise = match with_range {
        0 => "no merchant has a range for credit notes: refunds of issued documents are refused".to_owned(),
        _ => format!("merchants with numbers for credit notes: {with_range}"),
    };
    Finding::of("credit_note_numbers", remarks, otherwise)
}

/// Checks for refunds with an unknown outcome.
pub fn of_refunds_in_doubt(backlog: &RefundBacklog, now: DateTime<Utc>) -> Finding {
    let RefundBacklog { in_doubt, escalated, .. } = backlog;
    let severity = if *escalated > 0 { Severity::Warn } else { Severity::Ok };
    let mut text = waiting("refunds with an unknown outcome", in_doubt, now);
    if *escalated > 0 {
        text += &format!("; escalated: {escalated}. Ask the acquirer, then run `cobro refund settle`");
    }
    Finding::new("refunds_in_doubt", severity, text)
}

/// Checks for credit notes that are not issued.
pub fn of_notes_owed(backlog: &RefundBacklog, now: DateTime<Utc>) -> Finding {
    let owed = &backlog.notes_owed;
    let severity = match age(owed, now) {
        Some(age) if age > OWED_TOO_LONG => Severity::Fail,
        Some(_) => Severity::Warn,
        None if owed.length > 0 => Severity::Warn,
        None => Severity::Ok,
    };
    Finding::new("notes_owed", severity, waiting("credit notes that are not issued", owed, now))
}

/// Checks for returns that were found at the acquirer and not attributed.
pub fn of_unattributed_returns(backlog: &RefundBacklog, now: DateTime<Utc>) -> Finding {
    let unattributed = &backlog.unattributed;
    let severity = if unattributed.length > 0 { Severity::Warn } else { Severity::Ok };
    let text = waiting("returns that no merchant has attributed", unattributed, now);
    Finding::new("returns_unattributed", severity, text)
}

fn age(queue: &Queue, now: DateTime<Utc>) -> Option<TimeDelta> {
    queue.since.map(|since| now.signed_duration_since(since))
}

fn waiting(subject: &str, queue: &Queue, now: DateTime<Utc>) -> String {
    match age(queue, now) {
        Some(age) if queue.length > 0 => {
            format!("{subject}: {}, the oldest for {} h", queue.length, age.num_hours().max(0))
        }
        _ => format!("{subject}: {}", queue.length),
    }
}

#[cfg(test)]
mod tests {
    use domain::fiscal::{IssuerSetup, NumberRange};
    use ports::Setup;
    use testkit::sample;

    use super::*;

    fn queue(length: u64, hours: i64) -> Queue {
        Queue { length, since: (length > 0).then(|| sample::noon() - TimeDelta::hours(hours)) }
    }

    fn with_range(change: impl FnOnce(&mut NumberRange)) -> Vec<TenantSetup> {
        let mut range = sample::range(DocumentKind::CreditNote);
        change(&mut range);
        let issuer = IssuerSetup { ranges: vec![range], ..IssuerSetup::default() };
        let setup = Setup { issuer, ..Setup::default() };
        vec![TenantSetup { tenant: sample::tenant(), setup, contested: Vec::new() }]
    }

    #[test]
    fn a_merchant_without_a_range_is_no_fault() {
        let none = of_credit_note_numbers(&[], sample::noon());

        assert_eq!(none.severity, Severity::Ok);
        assert!(none.detail.contains("no merchant has a range"), "{none:?}");
    }

    #[test]
    fn used_up_numbers_fail_and_few_numbers_warn() {
        let of = |change: fn(&mut NumberRange)| of_credit_note_numbers(&with_range(change), sample::noon()).severity;

        assert_eq!(of(|_| {}), Severity::Ok);
        assert_eq!(of(|range| range.next = range.last), Severity::Warn);
        assert_eq!(of(|range| range.next = range.last + 1), Severity::Fail);
    }

    #[test]
    fn a_note_is_owed_for_a_day_at_most() {
        let of = |length, hours| {
            let backlog = RefundBacklog { notes_owed: queue(length, hours), ..RefundBacklog::default() };
            of_notes_owed(&backlog, sample::noon())
        };

        assert_eq!(of(0, 0).severity, Severity::Ok);
        assert_eq!(of(2, 24).severity, Severity::Warn);
        assert_eq!(of(2, 25).severity, Severity::Fail);
        assert_eq!(of(2, 25).detail, "credit notes that are not issued: 2, the oldest for 25 h");
    }

    #[test]
    fn an_escalated_refund_names_the_command() {
        let backlog = RefundBacklog { in_doubt: queue(3, 7), escalated: 1, ..RefundBacklog::default() };
        let plain = RefundBacklog { escalated: 0, ..backlog };

        let finding = of_refunds_in_doubt(&backlog, sample::noon());
        assert_eq!(finding.severity, Severity::Warn);
        assert!(finding.detail.contains("the oldest for 7 h; escalated: 1"), "{finding:?}");
        assert_eq!(of_refunds_in_doubt(&plain, sample::noon()).severity, Severity::Ok);
    }

    #[test]
    fn an_unattributed_return_warns() {
        let backlog = RefundBacklog { unattributed: queue(1, 1), ..RefundBacklog::default() };

        assert_eq!(of_unattributed_returns(&backlog, sample::noon()).severity, Severity::Warn);
        assert_eq!(of_unattributed_returns(&RefundBacklog::default(), sample::noon()).severity, Severity::Ok);
    }
}
