//! Refunds for operators: shown, listed, and settled after an unknown outcome.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    PaymentId, RefundId,
    attempt::Attempt,
    fiscal::{DocumentKind, RangeState, local_date},
    refund::{AcquirerReference, RefundRecord},
};
use ports::{MerchantRegistry, Page, Queue, RefundFilter, RefundStore, Tenant, Waiting};

use super::{
    checkup::{Finding, Severity},
    error::SetupError,
    survey::TenantSetup,
};
use crate::{
    Ports,
    refunds::{LegFinding, settle_leg},
};

/// Maximum number of refunds of a payment that are listed.
const MOST: u16 = 1000;
/// An operator must look at a credit note that is owed for longer.
const NOTE_TERM: TimeDelta = TimeDelta::hours(24);

/// Returns a refund of any tenant, with each attempt, oldest first.
///
/// # Errors
///
/// If there is no such refund, or if the store fails.
pub async fn inspect_refund(
    registry: &dyn MerchantRegistry,
    refunds: &dyn RefundStore,
    id: &RefundId,
) -> Result<(Tenant, RefundRecord, Vec<Attempt>), SetupError> {
    for tenant in registry.tenants().await? {
        if let Some(record) = refunds.find(&tenant, id).await? {
            let attempts = refunds.attempts(&tenant, id).await?;
            return Ok((tenant, record, attempts));
        }
    }
    Err(SetupError::Invalid("there is no such refund"))
}

/// Returns the refunds of a payment of any tenant, newest first; none for an unknown payment.
///
/// # Errors
///
/// If the store fails.
pub async fn refunds_of_payment(
    registry: &dyn MerchantRegistry,
    refunds: &dyn RefundStore,
    id: &PaymentId,
) -> Result<Vec<RefundRecord>, SetupError> {
    let filter = RefundFilter { payment: Some(id.clone()), ..RefundFilter::default() };
    for tenant in registry.tenants().await? {
        let found = refunds.search(&tenant, &filter, &Page { after: None, limit: MOST }).await?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// An operator's finding about a leg of a refund, by the records of the acquirer.
#[derive(Clone, Debug)]
pub struct SettleRefund {
    /// The refund.
    pub refund: RefundId,
    /// The part of the split; `None` without a split.
    pub ordinal: Option<u8>,
    /// Whether the money was returned.
    pub is_returned: bool,
    /// The acquirer's name of the operation, or of the case.
    pub reference: AcquirerReference,
    /// The operator.
    pub user: String,
}

/// Settles a leg that is in doubt and escalated. The log records operator, time and reference.
///
/// # Errors
///
/// If the leg is not escalated, or if the store fails.
pub async fn settle_refund_leg(ports: &Ports, command: &SettleRefund) -> Result<RefundRecord, SetupError> {
    let SettleRefund { refund, ordinal, is_returned, reference, user } = command;
    let (tenant, _, _) = inspect_refund(&*ports.registry, &*ports.refunds, refund).await?;
    let finding = LegFinding { refund, ordinal: *ordinal, is_returned: *is_returned, reference };
    let settled = settle_leg(ports, &tenant, finding).await.map_err(|error| SetupError::Internal(Box::new(error)))?;
    let record = settled.ok_or(SetupError::Invalid(
        "no leg of that part is in doubt and escalated: only such a leg is settled by hand",
    ))?;
    tracing::warn!(%refund, ?ordinal, is_returned, reference = reference.as_str(), user, "an operator has settled a leg");
    Ok(record)
}

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
            "no merchant has a range for credit notes: refunds of documents are refused",
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
