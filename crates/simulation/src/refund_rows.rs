//! Rows of refunds in the simulated database.

use chrono::{DateTime, NaiveDate, Utc};
use domain::{PaymentId, Refund, RefundId};

/// Refunds, oldest first, and the progress of the sweep.
#[derive(Default)]
pub(crate) struct Refunds {
    pub(crate) rows: Vec<RefundRow>,
    /// Days before this one were swept.
    pub(crate) swept_until: Option<NaiveDate>,
    /// End of the lease of the sweep.
    pub(crate) sweep_lease: Option<DateTime<Utc>>,
}

/// A refund, and the end of the lease on it.
pub(crate) struct RefundRow {
    pub(crate) refund: Refund,
    pub(crate) lease_until: Option<DateTime<Utc>>,
}

impl RefundRow {
    pub(crate) fn next(&self) -> Option<DateTime<Utc>> {
        let due = self.refund.due_at()?;
        Some(due.max(self.lease_until.unwrap_or(due)))
    }
}

impl Refunds {
    /// Returns every refund, oldest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Refund> {
        self.rows.iter().map(|row| &row.refund)
    }

    /// Returns the refund with this ID.
    pub(crate) fn find(&self, id: &RefundId) -> Option<&Refund> {
        self.all().find(|refund| refund.facts.id == *id)
    }

    /// Returns the refunds of a payment, oldest first.
    pub(crate) fn of_payment(&self, payment: &PaymentId) -> impl Iterator<Item = &Refund> {
        self.all().filter(move |refund| refund.facts.payment == *payment)
    }

    pub(crate) fn put(&mut self, refund: &Refund, lease_until: Option<DateTime<Utc>>) {
        let row = RefundRow { refund: refund.clone(), lease_until };
        match self.rows.iter_mut().find(|row| row.refund.facts.id == refund.facts.id) {
            Some(known) => *known = row,
            None => self.rows.push(row),
        }
    }

    /// Returns the refunds that are free and due at `now`, with their due times.
    pub(crate) fn due(&self, now: DateTime<Utc>) -> Vec<(DateTime<Utc>, &Refund)> {
        let due = self.rows.iter().filter(|row| row.next().is_some_and(|at| at <= now));
        due.filter_map(|row| Some((row.refund.due_at()?, &row.refund))).collect()
    }

    /// Leases a refund.
    pub(crate) fn lease(&mut self, id: &RefundId, until: DateTime<Utc>) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.refund.facts.id == *id) {
            row.lease_until = Some(until);
        }
    }

    /// Returns when the next refund is due and free.
    pub(crate) fn next_due(&self) -> Option<DateTime<Utc>> {
        self.rows.iter().filter_map(RefundRow::next).min()
    }
}
