//! The provider's ledger: the true state of the money, which no process of the deployment sees directly.

use std::collections::BTreeMap;

use domain::{
    AttemptId, Money, PaymentId,
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::{DeclineCode, OrphanedAttempt},
};
use ports::LookUp;

use crate::{returns::Returns, tables::Tables};

/// Funds stay reserved for this many milliseconds.
pub(crate) const HOLD_LIFE: u64 = 4 * 60 * 60 * 1000;

/// Every card transaction that reached the provider.
#[derive(Default)]
pub(crate) struct Bank {
    entries: BTreeMap<String, Entry>,
    /// Voids and refunds.
    pub(crate) returns: Returns,
}

struct Entry {
    payment: PaymentId,
    part: Option<u8>,
    amount: Money,
    at: u64,
    /// Look-ups show the attempt from this time on.
    visible_at: u64,
    truth: Truth,
    /// When the money was taken or captured.
    taken_at: u64,
    /// Until this time, look-ups show an unfinished challenge, whether approved or declined.
    unfinished_until: u64,
    /// Steps of the authentication that arrived: whether each was a challenge result.
    steps: Vec<bool>,
    /// Captures and releases that arrived.
    calls: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    /// The issuer waits for the payer; no money was taken yet.
    Asked(Wish),
    Declined(DeclineCode),
    Taken,
    Held,
    Captured,
    Free,
}

/// Steps that an issuer requires of a payer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Their browser.
    Look,
    /// The one, and then the other.
    LookAndAnswer,
    /// The result of the challenge.
    Answer,
}

/// An issuer waits for this many milliseconds.
const WAITS: u64 = 15 * 60 * 1000;
/// An unfinished challenge counts as abandoned after this time.
const WAITED: u64 = 20 * 60 * 1000;

/// Effect of a call at the provider, before any fault of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    Yes,
    Declined(DeclineCode),
    Rejected,
    /// The issuer wants to see the payer first.
    Asked(Wish),
    /// A step was taken before, or is too late.
    Repeated,
}

impl Bank {
    /// Charges a card, or reserves funds.
    pub(crate) fn charge(
        &mut self,
        attempt: &Attempt,
        (at, delay): (u64, u64),
        decline: Option<DeclineCode>,
        wish: Option<Wish>,
    ) -> Done {
        let truth = wish.map_or_else(|| verdict(decline, attempt.part), Truth::Asked);
        let entry = Entry {
            payment: attempt.payment.clone(),
            part: attempt.part,
            amount: attempt.amount,
            at,
            visible_at: at + delay,
            truth,
            taken_at: at,
            unfinished_until: 0,
            steps: Vec::new(),
            calls: Vec::new(),
        };
        self.entries.insert(attempt.id.as_str().to_owned(), entry);
        response(truth)
    }

    /// A payer was with the issuer.
    pub(crate) fn go_on(
        &mut self,
        attempt: &AttemptId,
        is_answer: bool,
        (now, delay): (u64, u64),
        decline: Option<DeclineCode>,
    ) -> Done {
        let Some(entry) = self.entries.get_mut(attempt.as_str()) else { return Done::Rejected };
        entry.truth = match (entry.truth, is_answer) {
            _ if now > entry.at + WAITS => return Done::Repeated,
            (Truth::Asked(Wish::Look), false) | (Truth::Asked(Wish::Answer), true) => verdict(decline, entry.part),
            (Truth::Asked(Wish::LookAndAnswer), false) => Truth::Asked(Wish::Answer),
            _ => return Done::Repeated,
        };
        (entry.unfinished_until, entry.taken_at) = (now + delay, now);
        response(entry.truth)
    }

    /// Captures the funds of that reservation.
    pub(crate) fn capture(&mut self, hold: &AttemptId, now: u64) -> Done {
        let Some(entry) = self.entries.get_mut(hold.as_str()) else { return Done::Rejected };
        match entry.truth_at(now) {
            Truth::Held => {
                (entry.truth, entry.taken_at) = (Truth::Captured, now);
                Done::Yes
            }
            Truth::Captured => Done::Rejected,
            _ => Done::Declined(DeclineCode::GenericDecline),
        }
    }

    /// Gives everything back that is held under that name.
    pub(crate) fn free(&mut self, hold: &AttemptId, now: u64) -> Done {
        let Some(entry) = self.entries.get_mut(hold.as_str()) else { return Done::Rejected };
        match entry.truth_at(now) {
            Truth::Captured => Done::Rejected,
            Truth::Declined(_) | Truth::Asked(_) => Done::Yes,
            Truth::Taken | Truth::Held | Truth::Free => {
                entry.truth = Truth::Free;
                Done::Yes
            }
        }
    }

    pub(crate) fn look_up(&self, attempt: &AttemptId, now: u64) -> LookUp {
        let reference = Some(format!("bank-{attempt}"));
        let Some(entry) = self.entries.get(attempt.as_str()).filter(|it| it.visible_at <= now) else {
            return LookUp::NotFound;
        };
        let amount = entry.amount;
        match entry.truth_at(now) {
            _ if entry.unfinished_until > now => LookUp::Unfinished,
            Truth::Asked(_) if now < entry.at + WAITED => LookUp::Unfinished,
            Truth::Asked(_) => LookUp::Declined(DeclineCode::AuthenticationFailed),
            Truth::Taken => LookUp::Approved { amount, reference },
            Truth::Held => LookUp::Held { amount, reference },
            Truth::Captured => LookUp::Captured { amount, reference },
            Truth::Declined(code) => LookUp::Declined(code),
            Truth::Free => LookUp::Gone,
        }
    }

    /// Returns the captured amount of a charge, and the time of the capture.
    pub(crate) fn captured(&self, charge: &AttemptId) -> Option<(i64, u64)> {
        let entry = self.entries.get(charge.as_str()).filter(|entry| entry.is_captured())?;
        Some((entry.amount.minor_units(), entry.taken_at))
    }

    /// Returns the charges of a payment, each with its part.
    pub(crate) fn charges_of(&self, payment: &PaymentId) -> Vec<(AttemptId, Option<u8>)> {
        let charges = self.entries.iter().filter(|(_, entry)| entry.payment == *payment && entry.is_captured());
        charges.filter_map(|(name, entry)| Some((AttemptId::parse(name)?, entry.part))).collect()
    }

    /// Returns the captured and the reserved amounts of a payment.
    pub(crate) fn balance(&self, payment: &PaymentId, now: u64) -> (i64, i64) {
        let sum = |wanted: &[Truth]| {
            let entries =
                self.entries.values().filter(|it| it.payment == *payment && wanted.contains(&it.truth_at(now)));
            entries.map(|it| it.amount.minor_units()).sum()
        };
        (sum(&[Truth::Taken, Truth::Captured]), sum(&[Truth::Held]))
    }

    /// Whether funds for the part were reserved at that time and never released.
    pub(crate) fn is_stranded(&self, payment: &PaymentId, part: u8, at: u64) -> bool {
        let of_part = self.entries.values().filter(|it| it.payment == *payment && it.part == Some(part));
        of_part.filter(|it| it.truth == Truth::Held).any(|it| (it.at..it.at + HOLD_LIFE).contains(&at))
    }

    /// Returns the violations of a charge, as an auditor at the provider sees them.
    pub(crate) fn audit_charge(&self, attempt: &AttemptId, amount: Money, tables: &Tables, now: u64) -> Option<String> {
        if self.entries.contains_key(attempt.as_str()) {
            return Some(format!("M7: {attempt} was sent twice"));
        }
        let Some(intent) = tables.attempts.get(attempt.as_str()) else {
            return Some(format!("M6: {attempt} was sent and is nowhere to be found"));
        };
        if !is_pending(intent.state) || intent.amount != amount {
            return Some(format!("M6: {attempt} was sent for {amount:?} and is {intent:?}"));
        }
        self.clash(attempt, intent, tables, now)
    }

    /// Returns the violations of a step of an authentication.
    pub(crate) fn audit_step(
        &mut self,
        attempt: &AttemptId,
        is_answer: bool,
        tables: &Tables,
        now: u64,
    ) -> Option<String> {
        let entry = self.entries.get_mut(attempt.as_str())?;
        if entry.steps.contains(&is_answer) {
            return Some(format!("M7: a step of {attempt} was sent twice"));
        }
        entry.steps.push(is_answer);
        let Some(intent) = tables.attempts.get(attempt.as_str()).filter(|it| is_pending(it.state)) else {
            return Some(format!("M6: {attempt} went on and is not pending"));
        };
        if tables.waits_for_payer(attempt, &intent.payment) {
            return Some(format!("M6: {attempt} continued without a recorded return of the browser"));
        }
        self.clash(attempt, intent, tables, now)
    }

    /// Returns another charge for the same part or payment, if any.
    fn clash(&self, attempt: &AttemptId, intent: &Attempt, tables: &Tables, now: u64) -> Option<String> {
        let is_live = |it: &Entry| matches!(it.truth_at(now), Truth::Taken | Truth::Held | Truth::Captured);
        let is_same = |it: &Entry| it.payment == intent.payment && it.part == intent.part;
        // An attempt that was proved dead does not block another charge.
        let is_dead = |name: &str| tables.attempts.get(name).is_some_and(|it| it.state == AttemptState::NotExecuted);
        let is_other = |(name, it): &(&String, &Entry)| {
            is_same(it) && is_live(it) && !is_dead(name) && name.as_str() != attempt.as_str()
        };
        let (_, other) = self.entries.iter().find(is_other)?;
        Some(format!("M4: {attempt} was sent and its share is {:?} already", other.truth))
    }

    /// Returns charges and reservations that their payment does not contain and that were never reversed.
    pub(crate) fn left(&self, tables: &Tables) -> Vec<String> {
        let stores_card = |it: &Entry| matches!(it.truth, Truth::Taken | Truth::Held);
        let is_dead = |name: &str| {
            let state = tables.attempts.get(name).map(|it| it.state);
            !matches!(state, Some(AttemptState::Approved | AttemptState::Open | AttemptState::Unknown))
        };
        self.entries
            .iter()
            .filter(|(name, it)| stores_card(it) && is_dead(name))
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Returns the violations of a call about reserved funds.
    pub(crate) fn audit_call(&mut self, hold: &AttemptId, kind: AttemptKind, tables: &Tables) -> Option<String> {
        let Some(entry) = self.entries.get_mut(hold.as_str()) else {
            return Some(format!("M6: {hold} holds no money, and {kind:?} was requested"));
        };
        // The payment contains the orphaned attempt, and the pending reversal.
        let is_orphan = |it: &&OrphanedAttempt| it.holds_money() && it.progress.attempt == *hold;
        let orphan = tables.orphans(&entry.payment).iter().find(is_orphan);
        if let Some(orphan) = orphan.filter(|_| kind == AttemptKind::Release) {
            if !orphan.is_reversing() {
                return Some(format!("M6: {hold} was undone and nothing says so"));
            }
            let name = format!("undone at {}", orphan.progress.submitted_at);
            if entry.calls.contains(&name) {
                return Some(format!("M7: {hold} was undone twice"));
            }
            entry.calls.push(name);
            return None;
        }
        let is_intent = |it: &&Attempt| {
            it.kind == kind && is_pending(it.state) && it.payment == entry.payment && it.part == entry.part
        };
        let Some(intent) = tables.attempts.values().find(is_intent) else {
            return Some(format!("M6: {kind:?} of {hold} was sent and is nowhere to be found"));
        };
        let name = intent.id.as_str().to_owned();
        if entry.calls.contains(&name) {
            return Some(format!("M7: {kind:?} {name} was sent twice"));
        }
        entry.calls.push(name);
        None
    }
}

/// The issuer's final decision.
fn verdict(decline: Option<DeclineCode>, part: Option<u8>) -> Truth {
    match (decline, part) {
        (Some(code), _) => Truth::Declined(code),
        (None, Some(_)) => Truth::Held,
        (None, None) => Truth::Taken,
    }
}

/// Returns the provider's response.
const fn response(truth: Truth) -> Done {
    match truth {
        Truth::Asked(wish) => Done::Asked(wish),
        Truth::Declined(code) => Done::Declined(code),
        Truth::Taken | Truth::Held | Truth::Captured | Truth::Free => Done::Yes,
    }
}

/// Whether a late call may still be sent: a process may stall until the attempt is in doubt, but a dead attempt is
/// never sent.
pub(crate) const fn is_pending(state: AttemptState) -> bool {
    matches!(state, AttemptState::Open | AttemptState::Unknown)
}

impl Entry {
    const fn is_captured(&self) -> bool {
        matches!(self.truth, Truth::Taken | Truth::Captured)
    }

    /// The issuer releases funds automatically in the end.
    fn truth_at(&self, now: u64) -> Truth {
        let has_lapsed = self.truth == Truth::Held && now >= self.at + HOLD_LIFE;
        if has_lapsed { Truth::Free } else { self.truth }
    }
}
