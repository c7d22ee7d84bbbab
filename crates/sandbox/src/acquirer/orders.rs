//! Transactions by the acquirer's own order ids, as its web services know them.

use std::io;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{Money, fiscal::local_date};

use super::{
    ledger::{Captured, Ledger, Pages, Undone, order},
    record::Entry,
    script::{Step, Truth},
    transaction::{Funds, Kind, Named, Transaction},
};

/// For how long what was charged can be voided.
const VOID_WINDOW: TimeDelta = TimeDelta::minutes(20);
/// For how long what was charged can be returned: six months.
const REFUND_WINDOW: TimeDelta = TimeDelta::days(183);

/// How long an authentication may take.
pub(super) const AUTHENTICATION_WINDOW: TimeDelta = TimeDelta::minutes(15);

/// What became of a step of 3-D Secure.
pub(crate) enum Authenticated {
    /// The transaction is now as this.
    As(Box<Transaction>),
    /// The step was taken before, or was never asked for.
    Repeated,
    /// There is nothing left to authenticate.
    TooLate,
}

/// One line of what a merchant may see: a submission, or what came of it later.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// `Sale`, `Hold`, `Post`, `Void` or `Refund`.
    pub(crate) kind: &'static str,
    /// The acquirer's long name for it.
    pub(crate) reference: String,
    pub(crate) amount: Money,
    pub(crate) at: DateTime<Utc>,
    /// The submission.
    pub(crate) of: Transaction,
}

/// What became of a wish to take what an order holds.
pub(crate) enum Posted {
    /// As for an attempt.
    As(Captured),
    /// More than the acquirer lets anybody take.
    TooMuch,
    /// There is no such order.
    Unknown,
}

impl Ledger {
    /// Takes `minor_units` of what the order holds.
    pub(crate) fn post(&self, store: &str, id: &str, minor_units: i64, now: DateTime<Utc>) -> io::Result<Posted> {
        let mut book = self.lock();
        let Some(hold) = book.pages.ordered(store, id) else { return Ok(Posted::Unknown) };
        let (of, most) = (hold.reference.clone(), hold.amount.minor_units().saturating_mul(115) / 100);
        if hold.kind != Kind::Hold || hold.funds(now) == Funds::Captured || hold.reversal.is_some() {
            return Ok(Posted::As(Captured::Nothing));
        }
        if minor_units > most {
            return Ok(Posted::TooMuch);
        }
        let part = (minor_units != hold.amount.minor_units()).then_some(minor_units);
        book.take(&of, part, now).map(Posted::As)
    }

    /// Voids the order: what it holds, or what it has charged just now. To void twice is refused.
    pub(crate) fn void_order(&self, store: &str, id: &str, now: DateTime<Utc>) -> io::Result<Undone> {
        let mut book = self.lock();
        let Some(it) = book.pages.ordered(store, id) else { return Ok(Undone::Nothing) };
        let charged_at = match it.kind {
            Kind::Sale => Some(it.received_at),
            Kind::Hold => it.capture.as_ref().map(|it| it.at),
            Kind::Opening | Kind::Refund | Kind::Vault => return Ok(Undone::Nothing),
        };
        let is_too_late = charged_at.is_some_and(|at| now.signed_duration_since(at) > VOID_WINDOW);
        let is_refunded = book.pages.returned(&it.reference) > 0;
        if it.truth != Truth::Approved || it.reversal.is_some() || is_too_late || is_refunded {
            return Ok(Undone::Nothing);
        }
        let of = it.reference.clone();
        book.give_back(&of, now)
    }

    /// Takes a step of 3-D Secure that was asked for: `next` says, from the scenario, what comes of it.
    pub(crate) fn authenticate(
        &self,
        (store, id): (&str, &str),
        step: Step,
        now: DateTime<Utc>,
        next: impl FnOnce(&str) -> (String, Truth),
    ) -> io::Result<Authenticated> {
        let mut book = self.lock();
        let Some(it) = book.pages.ordered(store, id) else { return Ok(Authenticated::TooLate) };
        if it.truth != Truth::Asked(step) {
            return Ok(Authenticated::Repeated);
        }
        if now.signed_duration_since(it.received_at) > AUTHENTICATION_WINDOW {
            return Ok(Authenticated::TooLate);
        }
        let of = it.reference.clone();
        let (scenario, to) = next(&it.scenario);
        book.journal.append(&Entry::authentication(&of, &scenario, to))?;
        book.pages.authenticate(&of, scenario, to);
        let after = book.pages.named(&of).map(|it| Box::new(it.clone()));
        Ok(after.map_or(Authenticated::TooLate, Authenticated::As))
    }

    /// Returns what the order has charged, or a part of it, and gives the refund's name; `None` if
    /// there is not that much to return.
    pub(crate) fn refund(&self, store: &str, id: &str, refund: Transaction) -> io::Result<Option<String>> {
        let mut book = self.lock();
        let now = refund.received_at;
        let Some(it) = book.pages.ordered(store, id) else { return Ok(None) };
        let is_charged = match it.kind {
            Kind::Sale => it.truth == Truth::Approved && it.reversal.is_none(),
            Kind::Hold => it.funds(now) == Funds::Captured,
            Kind::Opening | Kind::Refund | Kind::Vault => false,
        };
        let left = it.taken().minor_units().saturating_sub(book.pages.returned(&it.reference));
        let is_too_old = now.signed_duration_since(it.received_at) > REFUND_WINDOW;
        if !is_charged || is_too_old || refund.amount.minor_units() > left {
            return Ok(None);
        }
        let of = Some(it.reference.clone());
        let reference = book.pages.next_name(now);
        let refund = Transaction { reference: reference.clone(), of, truth: Truth::Approved, ..refund };
        book.journal.append(&Entry::submission(&refund))?;
        book.pages.add(refund);
        Ok(Some(reference))
    }

    /// The newest line under a name that can be seen at `now`.
    pub(crate) fn newest_row(&self, named: &Named, now: DateTime<Utc>) -> Option<Row> {
        let newest = self.find(named, now).filter(|it| it.kind.is_told())?;
        rows(&newest).pop()
    }

    /// Every line of the merchant on those days that can be seen at `now`, the oldest first.
    pub(crate) fn rows(&self, store: &str, (from, to): (NaiveDate, NaiveDate), now: DateTime<Utc>) -> Vec<Row> {
        let book = self.lock();
        let is_seen = |it: &&Transaction| {
            it.named.account == store && it.visible_at <= now && it.truth != Truth::Nothing && it.kind.is_told()
        };
        let all = book.pages.transactions.iter().filter(is_seen).flat_map(rows);
        let mut rows: Vec<Row> = all.filter(|it| (from..=to).contains(&local_date(it.at))).collect();
        rows.sort_by(|one, other| order(&one.reference).cmp(order(&other.reference)));
        rows
    }
}

impl Pages {
    /// The merchant's transaction that the order is about.
    fn ordered(&self, store: &str, id: &str) -> Option<&Transaction> {
        self.transactions.get(*self.by_order.get(id)?).filter(|it| it.named.account == store)
    }

    /// How much of a transaction was returned.
    fn returned(&self, reference: &str) -> i64 {
        let refunds = self.transactions.iter().filter(|it| it.of.as_deref() == Some(reference));
        refunds.fold(0, |sum, it| sum.saturating_add(it.amount.minor_units()))
    }
}

fn rows(of: &Transaction) -> Vec<Row> {
    let kind = match of.kind {
        Kind::Sale => "Sale",
        Kind::Hold => "Hold",
        Kind::Refund => "Refund",
        Kind::Opening | Kind::Vault => "",
    };
    let row =
        |kind, reference: &String, amount, at| Row { kind, reference: reference.clone(), amount, at, of: of.clone() };
    let mut rows = vec![row(kind, &of.reference, of.amount, of.received_at)];
    rows.extend(of.capture.as_ref().map(|it| row("Post", &it.reference, of.taken(), it.at)));
    rows.extend(of.reversal.as_ref().map(|it| row("Void", &it.reference, of.taken(), it.at)));
    rows
}
