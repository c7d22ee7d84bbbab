//! The invariants of refunds and credit notes, compared with the logs of the provider and of the authority.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    PaymentId, Refund,
    fiscal::{DocumentStage, DocumentStatus},
    payment::PaymentStatus,
    refund::{CreditNote, LegMethod, LegStatus, RefundStatus},
};
use ports::{Commit, ReturnMethod};

use crate::{
    bank::Bank,
    figures::check_figures,
    ledger::{Ledger, audit_numbers},
    tables::{Row, Tables},
};

/// Sums by part of a split; without a split there is one sum.
type ByPart = BTreeMap<Option<u8>, i64>;

/// Checks the invariants of one decision.
pub(crate) fn decision(tables: &Tables, commit: &Commit, before: Option<&Refund>, findings: &mut Vec<String>) {
    let Some(row) = tables.sales.get(commit.about.as_str()) else { return };
    if let Some(change) = &commit.refund {
        check_events(commit, before, &change.to, findings);
        check_balance(tables, row, findings);
    }
    if commit.refund.is_some() || !commit.documents.is_empty() {
        check_notes(tables, row, findings);
    }
}

/// Checks that each status of a refund is announced once, in order. A return to `processing` has no event.
fn check_events(commit: &Commit, before: Option<&Refund>, after: &Refund, findings: &mut Vec<String>) {
    let id = &after.facts.id;
    if before.is_some_and(|before| after.state().version <= before.state().version) {
        findings.push(format!("M12: the version of {id} did not grow"));
    }
    let mut status = before.map(|refund| refund.status().as_str());
    for event in commit.events.iter().filter(|event| event.kind.as_str().starts_with("refund.")) {
        let entered = match event.kind.as_str() {
            "refund.created" => RefundStatus::Processing.as_str(),
            "refund.found_at_provider" => RefundStatus::Unattributed.as_str(),
            "refund.verification_escalated" | "refund.over_returned" => continue,
            kind => kind.trim_start_matches("refund."),
        };
        if event.previous_status.is_some() && event.previous_status != status {
            findings.push(format!("E1: {id} was {status:?}, and its event says {:?}", event.previous_status));
        }
        status = Some(entered);
    }
    let (is, announced) = (after.status(), status);
    if announced != Some(is.as_str()) && is != RefundStatus::Processing {
        findings.push(format!("E1: {id} is {is:?} and was announced as {announced:?}"));
    }
}

/// Checks that the sums of the payment are functions of the legs, and that no charge returns more than was captured.
fn check_balance(tables: &Tables, row: &Row, findings: &mut Vec<String>) {
    let payment = &row.sale.payment;
    let id = &payment.facts.id;
    let refunds: Vec<&Refund> = tables.refunds.of_payment(id).collect();
    let mut captured = ByPart::new();
    for charge in tables.charges(id) {
        *captured.entry(charge.part).or_default() += charge.amount.minor_units();
    }
    let mut taken = ByPart::new();
    for refund in &refunds {
        for leg in refund.legs().iter().filter(|leg| leg.status() != LegStatus::Failed) {
            *taken.entry(leg.ordinal).or_default() += leg.amount;
        }
        if let Some(leg) = refund.legs().first() {
            *captured.entry(leg.ordinal).or_default() += excess_of(refund);
        }
    }
    for (part, taken) in taken {
        let captured = captured.get(&part).copied().unwrap_or_default();
        if taken > captured {
            findings
                .push(format!("R1: of part {part:?} of {id} {taken} are returned or pending; {captured} were paid"));
        }
    }
    let sum = |wanted: &dyn Fn(LegStatus) -> bool| -> i64 {
        let legs = refunds.iter().flat_map(|refund| refund.legs());
        legs.filter(|leg| wanted(leg.status())).map(|leg| leg.amount).sum()
    };
    let (returned, pending) = (sum(&|it| it == LegStatus::Succeeded), sum(&LegStatus::is_open));
    let excess: i64 = refunds.iter().map(|refund| excess_of(refund)).sum();
    let totals = payment.state().refunds;
    let count = u32::try_from(refunds.len()).unwrap_or(u32::MAX);
    if (totals.returned, totals.pending, totals.over_returned, totals.count) != (returned, pending, excess, count) {
        findings.push(format!("R7: {id} has {totals:?}; its {count} refunds: {returned}, {pending}, {excess}"));
    }
}

/// Returns the money that the provider returned beyond a charge.
fn excess_of(refund: &Refund) -> i64 {
    refund.state().total - refund.state().requested.total().unwrap_or_default()
}

/// Checks that each refund has at most one note, and only after its last leg.
fn check_notes(tables: &Tables, row: &Row, findings: &mut Vec<String>) {
    let id = &row.sale.payment.facts.id;
    for refund in tables.refunds.of_payment(id) {
        let name = &refund.facts.id;
        let notes = tables.documents.notes_of(id).filter(|note| note.refund() == Some(name)).count();
        let is_open = refund.legs().iter().any(|leg| leg.status().is_open());
        if notes > 1 || (is_open && notes > 0) {
            findings.push(format!("R11: {name} is {:?} and has {notes} notes", refund.status()));
        }
    }
}

/// Checks the legs that ended with this decision against the provider's log: none has failed whose money was returned,
/// unless the provider hid the money for longer than the proof takes, and none has succeeded without money.
pub(crate) fn ended_legs(
    tables: &Tables,
    bank: &Bank,
    (before, after): (Option<&Refund>, &Refund),
    now: DateTime<Utc>,
    findings: &mut Vec<String>,
) {
    let id = &after.facts.id;
    for (place, leg) in after.legs().iter().enumerate() {
        let had_ended = before.and_then(|it| it.legs().get(place)).is_some_and(|it| !it.status().is_open());
        if had_ended || leg.status() != LegStatus::Failed {
            continue;
        }
        let Some(row) = bank.returned_of_leg(id, leg.ordinal, tables) else { continue };
        let proof = match row.method {
            ReturnMethod::Void => TimeDelta::minutes(10),
            ReturnMethod::Refund => TimeDelta::hours(1),
        };
        let sent = row.attempt.as_ref().and_then(|attempt| tables.attempts.get(attempt.as_str()));
        if sent.is_some_and(|attempt| now.signed_duration_since(attempt.started_at) < proof) {
            findings.push(format!("R5: a leg of {id} is {:?}, and {} was returned", leg.stage(), row.reference));
        }
    }
    let returned = bank.returned_by_part(&after.facts.payment);
    for (part, succeeded) in succeeded_by_part(tables, &after.facts.payment) {
        let returned = returned.get(&part).copied().unwrap_or_default();
        if succeeded > returned {
            findings.push(format!("R2: {succeeded} of part {part:?} of {id} succeeded; {returned} were returned"));
        }
    }
}

/// Returns the money of the succeeded legs at the provider.
fn succeeded_by_part(tables: &Tables, payment: &PaymentId) -> ByPart {
    let mut by_part = ByPart::new();
    for leg in tables.refunds.of_payment(payment).flat_map(Refund::legs) {
        if leg.status() == LegStatus::Succeeded && leg.state().method != LegMethod::Outside {
            *by_part.entry(leg.ordinal).or_default() += leg.amount;
        }
    }
    by_part
}

/// Checks the refunds and documents of every sale after the end of faults and due work.
pub(crate) fn rest(tables: &Tables, bank: &Bank, authority: &Ledger, findings: &mut Vec<String>) {
    for row in tables.sales.values() {
        let payment = &row.sale.payment;
        let id = &payment.facts.id;
        let (returned, succeeded) = (bank.returned_by_part(id), succeeded_by_part(tables, id));
        if returned != succeeded {
            findings.push(format!("R2: of {id} {returned:?} were returned, and {succeeded:?} succeeded"));
        }
        if payment.status() == PaymentStatus::Succeeded {
            check_document(row, findings);
        }
        check_credited(tables, row, authority, findings);
        findings.extend(check_figures(tables, row));
    }
    for refund in tables.refunds.all() {
        let (id, status) = (&refund.facts.id, refund.status());
        if status.is_open() {
            findings.push(format!("A2: {id} never came to rest: {:?}", refund.legs()));
        }
        findings.extend(check_note(tables, refund, authority));
    }
    findings.extend(audit_numbers(tables));
}

/// Checks that the document of a paid sale is accepted, rejected or canceled.
fn check_document(row: &Row, findings: &mut Vec<String>) {
    let document = &row.sale.document;
    if !matches!(document.status(), DocumentStatus::Issued | DocumentStatus::Rejected | DocumentStatus::Canceled) {
        findings.push(format!("A2: {} never came to rest: {:?}", document.facts.id, document.stage()));
    }
}

/// Checks that the original counts exactly the accepted notes, as the authority does.
fn check_credited(tables: &Tables, row: &Row, authority: &Ledger, findings: &mut Vec<String>) {
    let document = &row.sale.document;
    let DocumentStage::Issued(issued) = document.stage() else { return };
    let notes = tables.documents.notes_of(&row.sale.payment.facts.id);
    let accepted = notes.filter(|note| note.status() == DocumentStatus::Issued);
    let sum: i64 = accepted.map(|note| note.total().minor_units()).sum();
    let known = authority.credited().get(issued.numbered.number.as_str()).copied().unwrap_or_default();
    if sum != document.state().credited || sum != known {
        let (id, counted) = (&document.facts.id, document.state().credited);
        findings.push(format!("R10: the notes of {id} are {sum}; {counted} is counted, and {known} accepted"));
    }
}

/// Checks that a refund with document money has one note: accepted, owed, or canceled with its original.
fn check_note(tables: &Tables, refund: &Refund, authority: &Ledger) -> Option<String> {
    let id = &refund.facts.id;
    let sale = tables.sale(&refund.facts.payment)?;
    let original = sale.document.status();
    let planned = refund.state().note.as_ref().filter(|_| refund.state().ended_at.is_some());
    let Some(note) = tables.documents.note_of(id) else {
        let is_missing = planned.is_some() && original != DocumentStatus::Canceled;
        return is_missing.then(|| format!("R11: {id} has no note, and its original is {original:?}"));
    };
    if planned.map(CreditNote::total) != Some(note.total().minor_units()) {
        return Some(format!("R11: the total of the note of {id} is {:?}, and the plan is {planned:?}", note.total()));
    }
    let is_right = match note.stage() {
        DocumentStage::Issued(issued) => {
            original == DocumentStatus::Issued && authority.has_accepted(&issued.numbered.number)
        }
        DocumentStage::Requested => original == DocumentStatus::Rejected,
        DocumentStage::Canceled { .. } => original == DocumentStatus::Canceled,
        DocumentStage::Rejected(_) => original == DocumentStatus::Issued,
        DocumentStage::Issuing(_) | DocumentStage::Delayed(..) => false,
    };
    (!is_right).then(|| format!("R11: the note of {id} is {:?}, and its original {original:?}", note.stage()))
}
