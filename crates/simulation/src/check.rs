//! The invariants about money, keys and events, written from the published promises and not from the code.

use chrono::{DateTime, Utc};
use domain::{
    Event, EventKind, Split,
    attempt::AttemptState,
    payment::PaymentStatus,
    split::{PartStage, SplitStatus, check},
};
use ports::Commit;

use crate::{
    bank::Bank,
    tables::{Row, Tables},
};

/// Returns the status that an event announces, if any.
pub(crate) const fn entered(kind: EventKind) -> Option<PaymentStatus> {
    Some(match kind {
        EventKind::PaymentCreated | EventKind::PaymentRequiresCustomerAction => PaymentStatus::RequiresCustomerAction,
        EventKind::PaymentProcessing => PaymentStatus::Processing,
        EventKind::PaymentDeclined => PaymentStatus::Declined,
        EventKind::PaymentVerifying => PaymentStatus::Verifying,
        EventKind::PaymentPartiallyAuthorized => PaymentStatus::PartiallyAuthorized,
        EventKind::PaymentAuthorized => PaymentStatus::Authorized,
        EventKind::PaymentCapturing => PaymentStatus::Capturing,
        EventKind::PaymentPartiallyPaid => PaymentStatus::PartiallyPaid,
        EventKind::PaymentReleasing => PaymentStatus::Releasing,
        EventKind::PaymentSucceeded => PaymentStatus::Succeeded,
        EventKind::PaymentCanceled => PaymentStatus::Canceled,
        EventKind::PaymentExpired => PaymentStatus::Expired,
        _ => return None,
    })
}

/// Checks the invariants of one decision: versions grow, and each status is announced once, in order.
pub(crate) fn decision(row: &Row, commit: &Commit, before: Option<PaymentStatus>, findings: &mut Vec<String>) {
    let payment = &row.sale.payment;
    let id = payment.facts.id.as_str();
    if let Some(change) = &commit.payment
        && change.based_on.is_some_and(|it| change.to.version() <= it)
    {
        findings.push(format!("M12: {id} went from {:?} to version {}", change.based_on, change.to.version()));
    }
    let mut status = before;
    for event in &commit.events {
        let Some(to) = entered(event.kind) else { continue };
        let left = event.previous_status;
        if left.is_some() && left != status.map(PaymentStatus::as_str) {
            findings.push(format!("E1: {id} left by its event {left:?} and had {status:?}"));
        }
        status = Some(to);
    }
    if status != Some(payment.status()) {
        findings.push(format!("E1: {id} is {:?} and is by its last event {status:?}", payment.status()));
    }
    if announced_status(&row.announced) != Some(payment.status()) {
        findings.push(format!("E1: {id} is {:?} after {:?}", payment.status(), kinds(&row.announced)));
    }
    findings.extend(check(&row.sale).err().map(|it| format!("M1, M2: {id}: {it:?}")));
}

/// Checks the invariants of every sale after the end of faults and due work.
pub(crate) fn rest(tables: &Tables, bank: &Bank, (start, now): (DateTime<Utc>, u64), findings: &mut Vec<String>) {
    for row in tables.sales.values() {
        let payment = &row.sale.payment;
        let id = payment.facts.id.as_str();
        let status = payment.status();
        let is_over = payment.is_terminal();
        if !is_over {
            findings.push(format!("A2: {id} never came to rest: {:?}", payment.stage()));
        }
        for part in payment.split().map(Split::parts).unwrap_or_default() {
            let PartStage::Released { at } = part.stage() else { continue };
            let at = at.signed_duration_since(start).num_milliseconds().unsigned_abs();
            if bank.is_stranded(&payment.facts.id, part.ordinal, at) {
                findings.push(format!("M9: part {} of {id} is released, and its funds were not", part.ordinal));
            }
        }
        let (taken, held) = bank.balance(&payment.facts.id, now);
        let expected = match payment.split() {
            Some(split) => split.figures().map_or(0, |it| it.captured.minor_units()),
            None if status == PaymentStatus::Succeeded => payment.total_amount().minor_units(),
            None => 0,
        };
        if taken != expected || held != 0 {
            findings.push(format!("M9: {id} is {status:?} with {expected} paid; {taken} were taken, {held} are held"));
        }
        let is_paid =
            payment.split().map_or(status == PaymentStatus::Succeeded, |it| it.status() == SplitStatus::Succeeded);
        if is_paid != (taken == payment.total_amount().minor_units()) {
            findings.push(format!("M9: {id} is {status:?} and {taken} were taken"));
        }
    }
    for attempt in bank.left(tables) {
        findings.push(format!("M9: {attempt} is dead, and what it took was never given back"));
    }
    for row in tables.sales.values().filter(|it| !it.sale.payment.orphans().is_empty()) {
        let payment = &row.sale.payment;
        findings.push(format!("A2: {} has orphaned attempts for ever: {:?}", payment.facts.id, payment.orphans()));
    }
    let is_open = |state| matches!(state, AttemptState::Open | AttemptState::Unknown);
    for attempt in tables.attempts.values().filter(|it| is_open(it.state)) {
        findings.push(format!("M5: attempt {} of {} is {:?} for ever", attempt.id, attempt.payment, attempt.state));
    }
}

fn kinds(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|it| it.kind.as_str()).collect()
}

/// Returns the status of the payment according to the events.
pub(crate) fn announced_status(events: &[Event]) -> Option<PaymentStatus> {
    events.iter().rev().find_map(|it| entered(it.kind))
}
