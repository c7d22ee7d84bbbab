//! State of the simulated database: each call is one transaction.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    AttemptId, FiscalDocument, FiscalDocumentId, Payment, PaymentId, Symbols,
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::{OrphanedAttempt, PaymentState, Stage},
    sale::Sale,
};
use ports::{Commit, Committed, KeyLease, KeyRecord, KeyScope, KeyState, Tenant, Work};
use testkit::sample;

use crate::{
    bug::Bug,
    check, check_refunds, refund_bugs,
    tables::{Row, Shown, Tables},
};

impl Tables {
    /// Returns empty tables. Without refunds no document is due.
    pub(crate) fn new(has_refunds: bool) -> Self {
        Self { has_refunds, ..Self::default() }
    }

    pub(crate) fn sale(&self, id: &PaymentId) -> Option<Sale> {
        self.sales.get(id.as_str()).map(|it| it.sale.clone())
    }

    /// Returns the attempt of a challenge link.
    pub(crate) fn challenged(&self, link: &Symbols) -> Option<(Tenant, Attempt)> {
        let attempt = self.attempts.values().find(|it| it.link.as_ref() == Some(link))?;
        let facts = &self.sale(&attempt.payment)?.payment.facts;
        Some((Tenant { merchant: facts.merchant.clone(), mode: facts.mode }, attempt.clone()))
    }

    /// Whether the attempt waits for the payer.
    pub(crate) fn waits_for_payer(&self, attempt: &AttemptId, payment: &PaymentId) -> bool {
        match self.sales.get(payment.as_str()).map(|it| it.sale.payment.stage()) {
            Some(Stage::RequiresCustomerAction(Some(it))) => it.attempt == *attempt,
            Some(Stage::Split(it)) => it.part_of_attempt(attempt).is_some_and(|it| it.challenge().is_some()),
            _ => false,
        }
    }

    /// The attempts that a payment has moved on without.
    pub(crate) fn orphans(&self, id: &PaymentId) -> &[OrphanedAttempt] {
        self.sales.get(id.as_str()).map(|it| it.sale.payment.orphans()).unwrap_or_default()
    }

    pub(crate) fn key(&self, scope: &KeyScope, digest: &[u8; 32]) -> Option<KeyRecord> {
        self.keys.get(&name(scope, digest)).cloned()
    }

    pub(crate) fn renew(&mut self, hold: &KeyLease, until: DateTime<Utc>) -> bool {
        let Some(record) = self.keys.get_mut(&name(&hold.scope, &hold.digest)) else { return false };
        match &mut record.state {
            KeyState::InProgress { lease_until, .. } if record.epoch == hold.epoch => {
                *lease_until = until;
                true
            }
            _ => false,
        }
    }

    /// Returns the sale of a document; for a credit note, with the note as its document.
    pub(crate) fn sale_of_document(&self, id: &FiscalDocumentId) -> Option<Sale> {
        if let Some(note) = self.documents.note(id) {
            return Some(Sale { document: note.document.clone(), ..self.sale(&note.payment)? });
        }
        self.sales.values().map(|row| &row.sale).find(|sale| sale.document.facts.id == *id).cloned()
    }

    /// Leases due work.
    pub(crate) fn claim(&mut self, now: DateTime<Utc>, until: DateTime<Utc>, limit: u16) -> Vec<Work> {
        let tenant = |it: &Payment| Tenant { merchant: it.facts.merchant.clone(), mode: it.facts.mode };
        let is_free = |row: &Row| row.due_at.is_some_and(|at| at <= now) && row.lease_until.is_none_or(|it| it <= now);
        let payment = |row: &Row| {
            let payment = &row.sale.payment;
            (row.due_at, Work::Payment(tenant(payment), payment.facts.id.clone()))
        };
        let mut due: Vec<_> = self.sales.values().filter(|it| is_free(it)).map(payment).collect();
        if self.has_refunds {
            let tenant = sample::tenant();
            let documents = self.documents.due(now).into_iter();
            due.extend(documents.map(|(at, id)| (Some(at), Work::Document(tenant.clone(), id))));
            let refunds = self.refunds.due(now).into_iter();
            due.extend(refunds.map(|(at, it)| (Some(at), Work::Refund(tenant.clone(), it.facts.id.clone()))));
        }
        due.sort_by_key(|(at, _)| *at);
        due.truncate(limit.into());
        let claimed: Vec<Work> = due.into_iter().map(|(_, work)| work).collect();
        claimed.iter().for_each(|work| self.postpone(work, until));
        claimed
    }

    pub(crate) fn next_due(&self) -> Option<DateTime<Utc>> {
        let payments = self.sales.values().filter_map(|it| Some(it.due_at?.max(it.lease_until.unwrap_or(it.due_at?))));
        payments.chain(self.documents.next_due()).chain(self.refunds.next_due()).min()
    }

    /// Leases work until that time.
    pub(crate) fn postpone(&mut self, work: &Work, until: DateTime<Utc>) {
        match work {
            Work::Payment(_, id) => {
                if let Some(row) = self.sales.get_mut(id.as_str()) {
                    row.lease_until = Some(until);
                }
            }
            Work::Document(_, id) => self.documents.lease(id, until),
            Work::Refund(_, id) => self.refunds.lease(id, until),
        }
    }

    /// Commits or refuses a decision. Violations are added to `findings`.
    pub(crate) fn commit(&mut self, commit: &Commit, bug: Option<Bug>, findings: &mut Vec<String>) -> Committed {
        if let Some(refused) = self.refusal(commit, bug) {
            return refused;
        }
        self.commits += 1;
        let before = self.sales.get(commit.about.as_str()).map(|it| it.sale.payment.status());
        let refund_before = commit.refund.as_ref().and_then(|it| self.refunds.find(&it.to.facts.id)).cloned();
        let commit = &refund_bugs::committed(bug, commit, self);
        self.apply(commit, bug);
        if bug != Some(Bug::CommitsInHalves) {
            self.apply_key(commit, bug);
        }
        if let Some(row) = self.sales.get(commit.about.as_str()) {
            check::decision(row, commit, before, findings);
            findings.extend(self.check_balance(row));
            check_refunds::decision(self, commit, refund_before.as_ref(), findings);
        }
        Committed::Done
    }

    fn refusal(&self, commit: &Commit, bug: Option<Bug>) -> Option<Committed> {
        if !self.is_next_epoch(commit, bug) {
            return Some(Committed::KeyTaken);
        }
        let has_unique_refund = bug == Some(Bug::ForgetsPendingRefunds) || self.has_unique_refund(commit);
        let is_valid = || self.is_current(commit) && self.is_unique(commit) && has_unique_refund;
        let may_be_applied = bug == Some(Bug::IgnoresVersions) || is_valid();
        (!may_be_applied).then_some(Committed::Stale)
    }

    /// The rest of a decision that a broken store makes durable in halves.
    pub(crate) fn commit_rest(&mut self, commit: &Commit) {
        self.apply_key(commit, None);
    }

    fn is_next_epoch(&self, commit: &Commit, bug: Option<Bug>) -> bool {
        let Some(change) = &commit.key else { return true };
        let known = self.keys.get(&name(&change.to.scope, &change.to.digest)).map(|it| it.epoch);
        known == change.based_on || bug == Some(Bug::IgnoresEpochs)
    }

    fn is_current(&self, commit: &Commit) -> bool {
        let payment = self.sales.get(commit.about.as_str()).map(|it| it.sale.payment.version());
        let version = |id: &FiscalDocumentId| self.sale_of_document(id).map(|it| it.document.version());
        commit.payment.as_ref().is_none_or(|it| it.based_on == payment)
            && commit.documents.iter().all(|it| it.based_on == version(&it.to.facts.id))
            && self.has_current_refund(commit)
    }

    /// At most one attempt on a share is open, and a share is captured once.
    fn is_unique(&self, commit: &Commit) -> bool {
        commit.attempts.iter().all(|new| {
            let resolved = |it: &Attempt| commit.attempts.iter().any(|other| other.id == it.id);
            let stored = self.attempts.values().filter(|it| !resolved(it)).chain(&commit.attempts);
            let others = stored.filter(|it| it.id != new.id && is_same_share(it, new));
            let is_open = |it: &Attempt| matches!(it.state, AttemptState::Open | AttemptState::Unknown);
            let is_captured = |it: &Attempt| it.kind == AttemptKind::Capture && it.state == AttemptState::Approved;
            let clashes = |it: &&Attempt| (is_open(it) && is_open(new)) || (is_captured(it) && is_captured(new));
            others.filter(clashes).count() == 0
        })
    }

    fn apply(&mut self, commit: &Commit, bug: Option<Bug>) {
        for attempt in &commit.attempts {
            if bug != Some(Bug::ForgetsIntents) || attempt.state != AttemptState::Open {
                self.attempts.insert(attempt.id.as_str().to_owned(), attempt.clone());
            }
        }
        let row = match (&commit.payment, commit.documents.first()) {
            (Some(payment), Some(document)) if payment.based_on.is_none() => {
                let sale = Sale { payment: payment.to.clone(), document: document.to.clone() };
                let row = Row { sale, announced: Vec::new(), shown: Vec::new(), due_at: None, lease_until: None };
                self.sales.entry(commit.about.as_str().to_owned()).or_insert(row)
            }
            _ => match self.sales.get_mut(commit.about.as_str()) {
                Some(row) => row,
                None => return,
            },
        };
        let is_forgotten = bug == Some(Bug::ForgetsReturns) && commit.returned.as_ref().is_some_and(|it| it.is_applied);
        if let Some(change) = commit.payment.as_ref().filter(|_| !is_forgotten) {
            row.sale.payment = change.to.clone();
            if bug == Some(Bug::ForgetsOrphans) {
                let state = PaymentState { orphans: Vec::new(), ..change.to.state().clone() };
                row.sale.payment = Payment::restore(change.to.facts.clone(), state);
            }
            row.due_at = row.sale.payment.due_at();
            row.lease_until = change.lease_until;
        }
        let own = row.sale.document.facts.id.clone();
        if let Some(change) = commit.documents.iter().find(|it| it.to.facts.id == own) {
            row.sale.document = change.to.clone();
        }
        if let Some(credited) = commit.credited.as_ref().filter(|it| it.document == own) {
            row.sale.document = credit(&row.sale.document, credited.minor_units);
        }
        self.apply_refund(commit);
        if bug != Some(Bug::ForgetsEvents) || !self.commits.is_multiple_of(5) {
            self.announce(commit);
        }
    }

    /// Stores the events of a commit with what they show.
    fn announce(&mut self, commit: &Commit) {
        let Some(row) = self.sales.get_mut(commit.about.as_str()) else { return };
        row.announced.extend_from_slice(&commit.events);
        let after = Arc::new(row.sale.clone());
        for event in &commit.events {
            let refund = commit.refund.as_ref().filter(|_| event.kind.as_str().starts_with("refund."));
            let of_refund = refund.and_then(|it| self.documents.note_of(&it.to.facts.id));
            let of_event = event.note.as_ref().and_then(|id| self.documents.note(id)).map(|it| &it.document);
            row.shown.push(Shown {
                event: event.clone(),
                at: commit.at,
                sale: after.clone(),
                refund: refund.map(|it| Box::new(it.to.clone())),
                note: of_event.or(of_refund).cloned().map(Box::new),
            });
        }
    }

    fn apply_key(&mut self, commit: &Commit, bug: Option<Bug>) {
        let Some(change) = &commit.key else { return };
        let mut record = change.to.clone();
        if bug == Some(Bug::ForgetsAnswers) && matches!(record.state, KeyState::Completed(_)) {
            record.state = KeyState::Reopened;
        }
        self.keys.insert(name(&record.scope, &record.digest), record);
    }
}

/// Returns the original with one more accepted credit note.
fn credit(original: &FiscalDocument, minor_units: i64) -> FiscalDocument {
    let mut state = original.state().clone();
    state.credited += minor_units;
    state.version += 1;
    FiscalDocument::restore(original.facts.clone(), state)
}

fn is_same_share(one: &Attempt, other: &Attempt) -> bool {
    one.payment == other.payment && one.part == other.part
}

fn name(scope: &KeyScope, digest: &[u8; 32]) -> (String, [u8; 32]) {
    (scope.payment.as_ref().map_or_else(String::new, |it| it.as_str().to_owned()), *digest)
}
