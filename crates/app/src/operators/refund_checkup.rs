//! Findings about refunds and credit notes for the operator of a deployment.

use chrono::{DateTime, TimeDelta, Utc};
use domain::fiscal::{DocumentKind, RangeState, local_date};
use ports::{Queue, Waiting};

use super::{
    checkup::{Finding, Severity},
    survey::TenantSetup,
};

/// An operator must look at a credit note that is owed for longer.
const NOTE_TERM: TimeDelta = TimeDelta::hours(24);

/// Checks refunds and credit notes that wait: `refunds_in_doubt`, `notes_owed` and `returns_unattributed`.
pub fn of_refunds(waiting: &Waiting, now: DateTime<Utc>) -> [Finding; 3] {
    let Waiting { refunds_in_doubt, refunds_escalated, notes_owed, returns_unattributed, .. } = waiting;
    let is_older =
        |queue: &Queue, than: TimeDelta| queue.since.is_some_and(|since| now.signed_duration_since(since) > than);
    let finding = |name, queue: &Queue, is_late: bool, (none, some): (&str, &str)| match queue.length {
        0 => Finding::new(name, Severity::Ok, none),
        count => {
            let severity = if is_late { Severity::Fail } else { Severity::Warn };
            Finding::new(name, severity, format!("{some}: {count}{}", oldest(queue, now)))
        }
    };
    let is_escalated = *refunds_escalated > 0;
    let doubts = match refunds_escalated {
        0 => "refunds in doubt, which are looked up".to_owned(),
        count => format!("refunds in doubt, {count} of which look-ups do not settle (`cobro refund settle`)"),
    };
    let returns = "returns at the acquirer that their merchants have not attributed";
    [
        finding("refunds_in_doubt", refunds_in_doubt, is_escalated, ("no refund is in doubt", &doubts)),
        finding(
            "notes_owed",
            notes_owed,
            is_older(notes_owed, NOTE_TERM),
            ("no credit note is owed", "credit notes owed"),
        ),
        finding("returns_unattributed", returns_unattributed, false, ("every return is attributed", returns)),
    ]
}

fn oldest(queue: &Queue, now: DateTime<Utc>) -> String {
    let hours = |since: DateTime<Utc>| now.signed_duration_since(since).num_hours();
    queue.since.map_or_else(String::new, |since| format!(", the oldest for {} hours", hours(since)))
}

/// Checks that issuers with numbers for credit notes have some left.
pub fn of_credit_note_numbers(surveyed: &[TenantSetup], now: DateTime<Utc>) -> Finding {
    let name = "credit_note_numbers";
    let states = surveyed.iter().filter_map(|it| {
        let state = it.setup.issuer.kinds(local_date(now)).get(&DocumentKind::CreditNote).copied()?;
        Some((it, state))
    });
    let states: Vec<_> = states.collect();
    if states.is_empty() {
        return Finding::new(
            name,
            Severity::Ok,
            "no merchant has a range for credit notes: refunds that need a credit note are refused",
        );
    }
    let remarks = states.iter().filter_map(|(it, state)| {
        let severity = match state {
            RangeState::Open => return None,
            RangeState::Low => Severity::Warn,
            RangeState::Expired | RangeState::Exhausted => Severity::Fail,
        };
        Some((severity, format!("those of {}: {}", it.name(), state.as_str())))
    });
    Finding::of(name, remarks.collect(), "numbers for credit notes are left".to_owned())
}

#[cfg(test)]
mod tests {
    use testkit::sample;

    use super::*;

    #[test]
    fn owed_notes_fail_after_a_day_and_doubts_once_they_are_escalated() {
        let queue = |hours| Queue { length: 2, since: Some(sample::noon() - TimeDelta::hours(hours)) };
        let severities = |waiting: Waiting| of_refunds(&waiting, sample::noon()).map(|finding| finding.severity);

        assert_eq!(severities(Waiting::default()), [Severity::Ok; 3]);
        let waiting = Waiting {
            refunds_in_doubt: queue(6),
            notes_owed: queue(24),
            returns_unattributed: queue(90),
            ..Waiting::default()
        };
        assert_eq!(severities(waiting), [Severity::Warn; 3]);
        let late = Waiting { refunds_escalated: 1, notes_owed: queue(25), ..waiting };
        assert_eq!(severities(late), [Severity::Fail, Severity::Fail, Severity::Warn]);
    }
}
