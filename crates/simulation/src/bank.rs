//! The truth about the money, which nobody of ours holds.

use std::collections::BTreeMap;

use domain::{
    AttemptId, Money, PaymentId,
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::{DeclineCode, Stray},
};
use ports::LookUp;

use crate::store::Tables;

/// Funds stay reserved for this many milliseconds.
pub(crate) const HOLD_LIFE: u64 = 4 * 60 * 60 * 1000;

/// Every card transaction that reached the provider.
#[derive(Default)]
pub(crate) struct Bank {
    entries: BTreeMap<String, Entry>,
}

struct Entry {
    payment: PaymentId,
    part: Option<u8>,
    amount: Money,
    at: u64,
    /// From then on a look-up shows it.
    visible_at: u64,
    truth: Truth,
    /// The captures and releases that reached it.
    calls: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Declined(DeclineCode),
    Taken,
    Held,
    Captured,
    Free,
}

/// What the provider does with a call, before anything goes wrong with its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    Yes,
    Declined(DeclineCode),
    Rejected,
}

impl Bank {
    /// A card is charged, or its funds are reserved.
    pub(crate) fn charge(&mut self, attempt: &Attempt, at: u64, delay: u64, decline: Option<DeclineCode>) -> Done {
        let truth = match (decline, attempt.kind) {
            (Some(code), _) => Truth::Declined(code),
            (None, AttemptKind::Authorization) => Truth::Held,
            (None, _) => Truth::Taken,
        };
        let entry = Entry {
            payment: attempt.payment.clone(),
            part: attempt.part,
            amount: attempt.amount,
            at,
            visible_at: at + delay,
            truth,
            calls: Vec::new(),
        };
        self.entries.insert(attempt.id.as_str().to_owned(), entry);
        decline.map_or(Done::Yes, Done::Declined)
    }

    /// Takes what is held under that name.
    pub(crate) fn capture(&mut self, hold: &AttemptId, now: u64) -> Done {
        let Some(entry) = self.entries.get_mut(hold.as_str()) else { return Done::Rejected };
        match entry.truth_at(now) {
            Truth::Held => {
                entry.truth = Truth::Captured;
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
            Truth::Declined(_) => Done::Yes,
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
            Truth::Taken => LookUp::Approved { amount, reference },
            Truth::Held => LookUp::Held { amount, reference },
            Truth::Captured => LookUp::Captured { amount, reference },
            Truth::Declined(code) => LookUp::Declined(code),
            Truth::Free => LookUp::Gone,
        }
    }

    /// What was taken, and what is still held, for that payment.
    pub(crate) fn balance(&self, payment: &PaymentId, now: u64) -> (i64, i64) {
        let sum = |wanted: &[Truth]| {
            let entries =
                self.entries.values().filter(|it| it.payment == *payment && wanted.contains(&it.truth_at(now)));
            entries.map(|it| it.amount.minor_units()).sum()
        };
        (sum(&[Truth::Taken, Truth::Captured]), sum(&[Truth::Held]))
    }

    /// Whether funds for that part were still reserved at that moment, and nobody ever gave them back.
    pub(crate) fn is_stranded(&self, payment: &PaymentId, part: u8, at: u64) -> bool {
        let of_part = self.entries.values().filter(|it| it.payment == *payment && it.part == Some(part));
        of_part.filter(|it| it.truth == Truth::Held).any(|it| (it.at..it.at + HOLD_LIFE).contains(&at))
    }

    /// What was wrong with calling at all, as an auditor at the provider's would see it.
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
        let is_live = |it: &Entry| matches!(it.truth_at(now), Truth::Taken | Truth::Held | Truth::Captured);
        let is_same = |it: &Entry| it.payment == intent.payment && it.part == intent.part;
        // What is believed dead, after all that it takes to believe it, keeps nobody from paying.
        let is_dead = |name: &str| tables.attempts.get(name).is_some_and(|it| it.state == AttemptState::NotHappened);
        let is_other = |(name, it): &(&String, &Entry)| is_same(it) && is_live(it) && !is_dead(name);
        let (_, other) = self.entries.iter().find(is_other)?;
        Some(format!("M4: {attempt} was sent and its share is {:?} already", other.truth))
    }

    /// What was charged or reserved under a name that its payment does not go by, and never given back.
    pub(crate) fn left(&self, tables: &Tables) -> Vec<String> {
        let is_kept = |it: &Entry| matches!(it.truth, Truth::Taken | Truth::Held);
        let is_dead = |name: &str| {
            let state = tables.attempts.get(name).map(|it| it.state);
            !matches!(state, Some(AttemptState::Approved | AttemptState::Open | AttemptState::Unknown))
        };
        self.entries.iter().filter(|(name, it)| is_kept(it) && is_dead(name)).map(|(name, _)| name.clone()).collect()
    }

    /// What is wrong with a call about funds that are reserved.
    pub(crate) fn audit_call(&mut self, hold: &AttemptId, kind: AttemptKind, tables: &Tables) -> Option<String> {
        let Some(entry) = self.entries.get_mut(hold.as_str()) else {
            return Some(format!("M6: {hold} holds nothing, and was told {kind:?}"));
        };
        // What is to be undone says so in its payment, and may be asked for until it is heard.
        let is_stray = |it: &Stray| it.is_approved && it.progress.attempt == *hold;
        let is_undone = kind == AttemptKind::Release && tables.strays(&entry.payment).iter().any(is_stray);
        if is_undone {
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

/// Whoever stood still for long sends what others doubt by then; but nothing that was given up.
const fn is_pending(state: AttemptState) -> bool {
    matches!(state, AttemptState::Open | AttemptState::Unknown)
}

impl Entry {
    /// The issuer gives funds free by itself in the end.
    fn truth_at(&self, now: u64) -> Truth {
        let has_lapsed = self.truth == Truth::Held && now >= self.at + HOLD_LIFE;
        if has_lapsed { Truth::Free } else { self.truth }
    }
}
