use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    Currency, Refund,
    refund::{RefundAmounts, RefundFacts, RefundOrigin, RefundRecord, RefundState, RefundTotals},
};
use ports::Change;
use serde::{Deserialize, Serialize};

use super::{DocumentRow, Inconsistent, StoredRow};
use crate::{
    column::Column,
    records::{self, LegsRecord, RefundDetails},
    schema::{balances, refunds},
};

/// Sums over the refunds of a payment, in `payments`.
#[derive(Default, Queryable, Selectable, AsChangeset, Serialize, Deserialize)]
#[diesel(table_name = balances)]
pub(crate) struct RefundTotalsRow {
    returned: i64,
    pending: i64,
    over_returned: i64,
    taken_tip: i64,
    undocumented: i64,
    refund_count: i64,
}

impl From<&RefundTotals> for RefundTotalsRow {
    fn from(totals: &RefundTotals) -> Self {
        let &RefundTotals { returned, pending, over_returned, taken_tip, undocumented, count } = totals;
        Self { returned, pending, over_returned, taken_tip, undocumented, refund_count: count.into() }
    }
}

impl RefundTotalsRow {
    /// # Errors
    ///
    /// The column with an impossible number. The amounts are checked with the payment.
    pub(super) fn read(self) -> Result<RefundTotals, &'static str> {
        let Self { returned, pending, over_returned, taken_tip, undocumented, refund_count } = self;
        let count = Column::load(refund_count, "refund_count")?;
        Ok(RefundTotals { returned, pending, over_returned, taken_tip, undocumented, count })
    }
}

/// One row of `refunds`.
#[derive(Queryable, Selectable, Insertable, Serialize, Deserialize)]
#[diesel(table_name = refunds, treat_none_as_default_value = false)]
pub(crate) struct RefundRow {
    merchant: String,
    mode: String,
    id: String,
    payment: String,
    account: String,
    currency: String,
    origin: String,
    settlement: String,
    refund_reference: Option<String>,
    retried: Option<String>,
    found_reference: Option<String>,
    details: String,
    created_at: i64,
    #[diesel(embed)]
    state: RefundStateRow,
}

/// Columns that change.
#[derive(Queryable, Selectable, Insertable, AsChangeset, Serialize, Deserialize)]
#[diesel(table_name = refunds, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct RefundStateRow {
    status: String,
    scope: Option<String>,
    reason: Option<String>,
    description: Option<String>,
    amount: i64,
    voluntary_tip: i64,
    total: i64,
    undocumented: i64,
    legs: String,
    planned: String,
    note: Option<String>,
    ended_at: Option<i64>,
    updated_at: i64,
    version: i64,
    #[serde(skip)]
    due_at: Option<i64>,
    #[serde(skip)]
    lease_until: Option<i64>,
}

impl From<&Change<Refund>> for RefundRow {
    fn from(change: &Change<Refund>) -> Self {
        Self::new(&change.to, change.lease_until)
    }
}

impl RefundRow {
    pub(crate) fn new(refund: &Refund, lease_until: Option<DateTime<Utc>>) -> Self {
        let facts = &refund.facts;
        Self {
            merchant: facts.merchant.store(),
            mode: facts.mode.store(),
            id: facts.id.store(),
            payment: facts.payment.store(),
            account: facts.account.store(),
            currency: facts.currency.store(),
            origin: facts.origin.store(),
            settlement: facts.settlement.store(),
            refund_reference: facts.refund_reference.store(),
            retried: facts.retried.store(),
            found_reference: found_reference(refund),
            details: RefundDetails::text(facts),
            created_at: facts.created_at.store(),
            state: RefundStateRow::new(refund, lease_until),
        }
    }
}

/// Returns the provider's name of a return that was found there, for the index that records it once.
fn found_reference(refund: &Refund) -> Option<String> {
    let leg = refund.legs().first().filter(|_| refund.facts.origin == RefundOrigin::Provider)?;
    leg.state().reference.store()
}

impl RefundStateRow {
    pub(crate) fn new(refund: &Refund, lease_until: Option<DateTime<Utc>>) -> Self {
        let state = refund.state();
        Self {
            status: refund.status().as_str().to_owned(),
            scope: state.scope.store(),
            reason: state.reason.store(),
            description: state.description.store(),
            amount: state.requested.amount,
            voluntary_tip: state.requested.voluntary_tip,
            total: state.total,
            undocumented: state.undocumented,
            legs: records::json(&state.legs),
            planned: records::json(&state.planned),
            note: state.note.as_ref().map(records::json),
            ended_at: state.ended_at.store(),
            updated_at: state.updated_at.store(),
            version: state.version.store(),
            due_at: refund.due_at().store(),
            lease_until: lease_until.store(),
        }
    }

    fn read(self) -> Result<RefundState, &'static str> {
        let note = records::optional(self.note.as_deref(), records::parse).ok_or("note")?;
        Ok(RefundState {
            scope: Option::load(self.scope, "scope")?,
            reason: Option::load(self.reason, "reason")?,
            description: Option::load(self.description, "description")?,
            requested: RefundAmounts { amount: self.amount, voluntary_tip: self.voluntary_tip },
            total: self.total,
            undocumented: self.undocumented,
            planned: records::parse(&self.planned).ok_or("planned")?,
            note,
            legs: records::parse::<LegsRecord>(&self.legs).ok_or("legs")?,
            ended_at: Option::load(self.ended_at, "ended_at")?,
            updated_at: Column::load(self.updated_at, "updated_at")?,
            version: Column::load(self.version, "version")?,
        })
    }
}

impl StoredRow for RefundRow {
    type Value = Refund;

    fn restore(self) -> Result<Refund, Inconsistent> {
        let broken = Inconsistent::of("refunds", &self.id);
        self.read().map_err(broken)
    }
}

impl RefundRow {
    fn read(self) -> Result<Refund, &'static str> {
        let details = RefundDetails::read(&self.details).ok_or("details")?;
        let facts = RefundFacts {
            id: Column::load(self.id, "id")?,
            payment: Column::load(self.payment, "payment")?,
            merchant: Column::load(self.merchant, "merchant")?,
            mode: Column::load(self.mode, "mode")?,
            account: Column::load(self.account, "account")?,
            currency: Currency::load(self.currency, "currency")?,
            origin: Column::load(self.origin, "origin")?,
            settlement: Column::load(self.settlement, "settlement")?,
            settlement_reference: details.settlement_reference,
            refund_reference: Option::load(self.refund_reference, "refund_reference")?,
            retried: Option::load(self.retried, "retried")?,
            metadata: details.metadata,
            original_issued_on: details.original_issued_on,
            created_at: Column::load(self.created_at, "created_at")?,
        };
        let status = self.state.status.clone();
        let refund = Refund::restore(facts, self.state.read()?);
        // These columns repeat facts of the legs, for queries.
        if refund.status().as_str() != status {
            return Err("status");
        }
        if found_reference(&refund) != self.found_reference {
            return Err("found_reference");
        }
        Ok(refund)
    }
}

/// A refund with the credit note, if there is one.
impl StoredRow for (RefundRow, Option<DocumentRow>) {
    type Value = RefundRecord;

    fn restore(self) -> Result<RefundRecord, Inconsistent> {
        let (refund, note) = self;
        Ok(RefundRecord { refund: refund.restore()?, note: note.map(DocumentRow::restore).transpose()? })
    }
}
