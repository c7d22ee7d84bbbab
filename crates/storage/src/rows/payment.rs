use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    CheckoutReference, Currency, FiscalDocumentId, MerchantAccountId, Money, Payment, PaymentId, Symbols,
    account::Provider,
    fiscal::TaxId,
    payment::{PaymentFacts, PaymentState},
    text::BoundedText,
};
use ports::Change;
use serde::{Deserialize, Serialize};

use super::{Inconsistent, counter, payment_stage::StageRow, read_tenant};
use crate::{
    records::{self, DetailsParts, OrphansRecord},
    schema::payments,
    time::{instant, millis},
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
    state: PaymentStateRow,
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
            merchant: facts.merchant.as_str().to_owned(),
            mode: facts.mode.as_str().to_owned(),
            id: facts.id.as_str().to_owned(),
            account: facts.account.as_str().to_owned(),
            provider: facts.provider.as_str().to_owned(),
            document: facts.document.as_str().to_owned(),
            amount: facts.amount.minor_units(),
            currency: facts.amount.currency().code().to_owned(),
            sale_reference: facts.sale_reference.as_str().to_owned(),
            details: DetailsParts::text(facts),
            checkout_reference: facts.checkout_reference.as_str().to_owned(),
            checkout_link: facts.checkout_link.as_str().to_owned(),
            created_at: millis(facts.created_at),
            state: change.into(),
        }
    }
}

impl From<&Change<Payment>> for PaymentStateRow {
    fn from(change: &Change<Payment>) -> Self {
        Self::new(&change.to, change.lease_until)
    }
}

impl PaymentStateRow {
    pub(crate) fn new(payment: &Payment, lease_until: Option<DateTime<Utc>>) -> Self {
        let state = payment.state();
        Self {
            voluntary_tip: state.voluntary_tip.minor_units(),
            expires_at: millis(state.expires_at),
            method: state.method.as_ref().map(records::json),
            attempts: state.attempts.into(),
            stage: (&state.stage).into(),
            orphans: orphans(state),
            updated_at: millis(state.updated_at),
            version: state.version.into(),
            due_at: payment.due_at().map(millis),
            lease_until: lease_until.map(millis),
        }
    }
}

/// Returns the JSON of the orphaned attempts; most payments have none.
fn orphans(state: &PaymentState) -> Option<String> {
    let PaymentState { not_submitted, orphans, .. } = state;
    let is_empty = *not_submitted == 0 && orphans.is_empty();
    (!is_empty).then(|| records::json(&OrphansRecord { not_submitted: *not_submitted, orphans: orphans.clone() }))
}

impl TryFrom<PaymentRow> for Payment {
    type Error = Inconsistent;

    fn try_from(row: PaymentRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("payments", &row.id);
        let currency = Currency::from_code(&row.currency).ok_or_else(|| broken("currency"))?;
        let facts = row.facts(currency).map_err(&broken)?;
        let state = row.state.restore(currency).map_err(&broken)?;
        Ok(Self::restore(facts, state))
    }
}

impl PaymentRow {
    /// Returns the payment in an earlier state.
    pub(super) fn in_state(self, state: PaymentStateRow) -> Self {
        Self { state, ..self }
    }

    fn facts(&self, currency: Currency) -> Result<PaymentFacts, &'static str> {
        let tenant = read_tenant(&self.merchant, &self.mode).ok_or("merchant")?;
        let details = DetailsParts::read(&self.details).ok_or("details")?;
        TaxId::parse(details.display.merchant.rnc.as_str()).map_err(|_| "details")?;
        Ok(PaymentFacts {
            id: PaymentId::parse(&self.id).ok_or("id")?,
            merchant: tenant.merchant,
            mode: tenant.mode,
            account: MerchantAccountId::parse(&self.account).ok_or("account")?,
            provider: Provider::from_code(&self.provider).ok_or("provider")?,
            document: FiscalDocumentId::parse(&self.document).ok_or("document")?,
            amount: Money::new(self.amount, currency),
            breakdown: details.breakdown,
            sale_reference: BoundedText::parse(&self.sale_reference).ok_or("sale_reference")?,
            return_url: details.return_url,
            service_label: details.service_label,
            description: details.description,
            metadata: details.metadata,
            display: details.display,
            checkout_reference: CheckoutReference::parse(&self.checkout_reference).ok_or("checkout_reference")?,
            checkout_link: Symbols::parse(&self.checkout_link).ok_or("checkout_link")?,
            created_at: instant(self.created_at).ok_or("created_at")?,
        })
    }
}

impl PaymentStateRow {
    fn restore(&self, currency: Currency) -> Result<PaymentState, &'static str> {
        let method = records::optional(self.method.as_deref(), records::parse).ok_or("method")?;
        let none = OrphansRecord { not_submitted: 0, orphans: Vec::new() };
        let orphans = self.orphans.as_deref().map_or(Some(none), records::parse);
        let OrphansRecord { not_submitted, orphans } = orphans.ok_or("orphans")?;
        Ok(PaymentState {
            voluntary_tip: Money::new(self.voluntary_tip, currency),
            expires_at: instant(self.expires_at).ok_or("expires_at")?,
            method,
            attempts: counter(self.attempts).ok_or("attempts")?,
            not_submitted,
            stage: self.stage.restore(currency)?,
            orphans,
            updated_at: instant(self.updated_at).ok_or("updated_at")?,
            version: counter(self.version).ok_or("version")?,
        })
    }
}
