use diesel::prelude::*;
use domain::{
    AttemptId, Currency, Money, PaymentId, Symbols,
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::DeclineCode,
};
use ports::Tenant;

use super::{Inconsistent, counter, read_tenant};
use crate::{
    records,
    schema::attempts,
    time::{instant, millis},
};

/// One row of `attempts`, but for the account, which is the payment's.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = attempts, treat_none_as_default_value = false)]
pub(crate) struct AttemptRow {
    merchant: String,
    mode: String,
    id: String,
    payment: String,
    number: i64,
    part: Option<i64>,
    kind: String,
    amount: i64,
    currency: String,
    card: Option<String>,
    started_at: i64,
    state: String,
    decline_code: Option<String>,
    provider_reference: Option<String>,
    challenge_link: Option<String>,
    updated_at: i64,
}

impl AttemptRow {
    pub(crate) fn new(tenant: &Tenant, attempt: &Attempt) -> Self {
        let decline_code = match attempt.state {
            AttemptState::Declined(code) => Some(code.as_str().to_owned()),
            _ => None,
        };
        Self {
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            id: attempt.id.as_str().to_owned(),
            payment: attempt.payment.as_str().to_owned(),
            number: attempt.number.into(),
            part: attempt.part.map(i64::from),
            kind: attempt.kind.as_str().to_owned(),
            amount: attempt.amount.minor_units(),
            currency: attempt.amount.currency().code().to_owned(),
            card: attempt.card.as_ref().map(records::json),
            started_at: millis(attempt.started_at),
            state: attempt.state.as_str().to_owned(),
            decline_code,
            provider_reference: attempt.provider_reference.clone(),
            challenge_link: attempt.link.as_ref().map(|it| it.as_str().to_owned()),
            updated_at: millis(attempt.updated_at),
        }
    }
}

impl TryFrom<AttemptRow> for Attempt {
    type Error = Inconsistent;

    fn try_from(row: AttemptRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("attempts", &row.id);
        row.restore().map_err(broken)
    }
}

impl AttemptRow {
    /// Returns the attempt with the tenant.
    pub(crate) fn with_tenant(self) -> Result<(Tenant, Attempt), Inconsistent> {
        let broken = Inconsistent::of("attempts", &self.id);
        let tenant = read_tenant(&self.merchant, &self.mode).ok_or_else(|| broken("merchant"))?;
        Ok((tenant, self.try_into()?))
    }

    fn restore(&self) -> Result<Attempt, &'static str> {
        let currency = Currency::from_code(&self.currency).ok_or("currency")?;
        let card = records::optional(self.card.as_deref(), records::parse).ok_or("card")?;
        Ok(Attempt {
            id: AttemptId::parse(&self.id).ok_or("id")?,
            payment: PaymentId::parse(&self.payment).ok_or("payment")?,
            number: counter(self.number).ok_or("number")?,
            part: records::optional(self.part, |it| u8::try_from(it).ok()).ok_or("part")?,
            kind: AttemptKind::from_code(&self.kind).ok_or("kind")?,
            amount: Money::new(self.amount, currency),
            card,
            link: records::optional(self.challenge_link.as_deref(), Symbols::parse).ok_or("challenge_link")?,
            started_at: instant(self.started_at).ok_or("started_at")?,
            state: self.read_state().ok_or("state")?,
            provider_reference: self.provider_reference.clone(),
            updated_at: instant(self.updated_at).ok_or("updated_at")?,
        })
    }

    fn read_state(&self) -> Option<AttemptState> {
        let code = records::optional(self.decline_code.as_deref(), DeclineCode::from_code)?;
        Some(match (self.state.as_str(), code) {
            ("open", None) => AttemptState::Open,
            ("unknown", None) => AttemptState::Unknown,
            ("approved", None) => AttemptState::Approved,
            ("declined", Some(code)) => AttemptState::Declined(code),
            ("not_submitted", None) => AttemptState::NotSubmitted,
            ("not_happened", None) => AttemptState::NotExecuted,
            ("reversed", None) => AttemptState::Reversed,
            _ => return None,
        })
    }
}
