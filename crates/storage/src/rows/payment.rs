use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    Currency, Money, Payment,
    fiscal::TaxId,
    payment::{PaymentFacts, PaymentState},
    refund::{Balance, RefundTotals},
};
use ports::Change;
use serde::{Deserialize, Serialize};

use super::{Inconsistent, StoredRow, payment_stage::StageRow, refund::RefundTotalsRow};
use crate::{
    column::Column,
    records::{self, DetailsParts, OrphansRecord},
    schema::payments,
};

/// One row of `payments`, without the number of events.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = payments, treat_none_as_default_value = false)]
pub(crate) struct PaymentRow {
    merchant: String,
    mode: String,
    id: String,
    account: String,
    provider: String,
    document: String,
    amount: i64,
    currency: String,
    sale_reference: String,
    details: String,
    checkout_reference: String,
    checkout_link: String,
    created_at: i64,
    #[diesel(embed)]
    pub(super) state: PaymentStateRow,
}

/// Columns that change.
#[derive(Queryable, Selectable, Insertable, AsChangeset, Serialize, Deserialize)]
#[diesel(table_name = payments, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct PaymentStateRow {
    voluntary_tip: i64,
    expires_at: i64,
    method: Option<String>,
    attempts: i64,
    #[diesel(embed)]
    stage: StageRow,
    orphans: Option<String>,
    updated_at: i64,
    version: i64,
    #[serde(skip)]
    due_at: Option<i64>,
    #[serde(skip)]
    lease_until: Option<i64>,
}

impl From<&Change<Payment>> for PaymentRow {
    fn from(change: &Change<Payment>) -> Self {
        let facts = &change.to.facts;
        Self {
            merchant: facts.merchant.store(),
            mode: facts.mode.store(),
            id: facts.id.store(),
            account: facts.account.store(),
            provider: facts.provider.store(),
            document: facts.document.store(),
            amount: facts.amount.minor_units(),
            currency: facts.amount.currency().store(),
            sale_reference: facts.sale_reference.store(),
            details: DetailsParts::text(facts),
            checkout_reference: facts.checkout_reference.store(),
            checkout_link: facts.checkout_link.store(),
            created_at: facts.created_at.store(),
            state: PaymentStateRow::new(&change.to, change.lease_until),
        }
    }
}

impl PaymentStateRow {
    pub(crate) fn new(payment: &Payment, lease_until: Option<DateTime<Utc>>) -> Self {
        let state = payment.state();
        Self {
            voluntary_tip: state.voluntary_tip.minor_units(),
            expires_at: state.expires_at.store(),
            method: state.method.store(),
            attempts: state.attempts.store(),
            stage: (&state.stage).into(),
            orphans: orphans(state),
            updated_at: state.updated_at.store(),
            version: state.version.store(),
            due_at: payment.due_at().store(),
            lease_until: lease_until.store(),
        }
    }
}

/// Returns the JSON of the orphaned attempts; most payments have none.
fn orphans(state: &PaymentState) -> Option<String> {
    let PaymentState { not_submitted, orphans, .. } = state;
    let is_empty = *not_submitted == 0 && orphans.is_empty();
    (!is_empty).then(|| records::json(&OrphansRecord { not_submitted: *not_submitted, orphans: orphans.clone() }))
}

impl StoredRow for (PaymentRow, RefundTotalsRow) {
    type Value = Payment;

    fn restore(self) -> Result<Payment, Inconsistent> {
        let (payment, totals) = self;
        let broken = Inconsistent::of("payments", &payment.id);
        totals.read().and_then(|totals| payment.read(totals)).map_err(broken)
    }
}

impl PaymentRow {
    fn read(self, refunds: RefundTotals) -> Result<Payment, &'static str> {
        let currency = Currency::load(self.currency, "currency")?;
        let details = DetailsParts::read(&self.details).ok_or("details")?;
        TaxId::parse(details.display.merchant.rnc.as_str()).map_err(|_| "details")?;
        let facts = PaymentFacts {
            id: Column::load(self.id, "id")?,
            merchant: Column::load(self.merchant, "merchant")?,
            mode: Column::load(self.mode, "mode")?,
            account: Column::load(self.account, "account")?,
            provider: Column::load(self.provider, "provider")?,
            document: Column::load(self.document, "document")?,
            amount: Money::new(self.amount, currency),
            breakdown: details.breakdown,
            sale_reference: Column::load(self.sale_reference, "sale_reference")?,
            return_url: details.return_url,
            service_label: details.service_label,
            description: details.description,
            metadata: details.metadata,
            display: details.display,
            checkout_reference: Column::load(self.checkout_reference, "checkout_reference")?,
            checkout_link: Column::load(self.checkout_link, "checkout_link")?,
            created_at: Column::load(self.created_at, "created_at")?,
        };
        let payment = Payment::restore(facts, self.state.read(currency, refunds)?);
        Balance::of(&payment).ok_or("returned")?;
        Ok(payment)
    }
}

impl PaymentStateRow {
    fn read(self, currency: Currency, refunds: RefundTotals) -> Result<PaymentState, &'static str> {
        let none = OrphansRecord { not_submitted: 0, orphans: Vec::new() };
        let orphans = self.orphans.as_deref().map_or(Some(none), records::parse);
        let OrphansRecord { not_submitted, orphans } = orphans.ok_or("orphans")?;
        Ok(PaymentState {
            voluntary_tip: Money::new(self.voluntary_tip, currency),
            expires_at: Column::load(self.expires_at, "expires_at")?,
            method: Option::load(self.method, "method")?,
            attempts: Column::load(self.attempts, "attempts")?,
            not_submitted,
            stage: self.stage.restore(currency)?,
            orphans,
            updated_at: Column::load(self.updated_at, "updated_at")?,
            version: Column::load(self.version, "version")?,
            refunds,
        })
    }
}
