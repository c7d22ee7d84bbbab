use diesel::prelude::*;
use domain::{
    AnnulmentId,
    fiscal::{Annulment, AnnulmentState, DocumentKind, Environment, TaxId},
};
use ports::Tenant;

use super::Inconsistent;
use crate::{
    records::{self, optional},
    schema::annulments,
    time::{instant, millis},
};

/// One row of `annulments`, but for the bytes.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = annulments, treat_none_as_default_value = false)]
pub(crate) struct AnnulmentRow {
    merchant: String,
    mode: String,
    id: String,
    issuer: String,
    environment: String,
    kind: String,
    range_first: i64,
    first: i64,
    last: i64,
    requested_at: i64,
    #[diesel(embed)]
    state: AnnulmentStateRow,
}

/// The columns that change.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = annulments, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct AnnulmentStateRow {
    state: String,
    resolved_at: Option<i64>,
    /// Messages of the authority, as code and text.
    authority_messages: String,
}

impl AnnulmentRow {
    /// `None` if a bound is beyond every number.
    pub(crate) fn new(tenant: &Tenant, annulment: &Annulment) -> Option<Self> {
        Some(Self {
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            id: annulment.id.as_str().to_owned(),
            issuer: annulment.issuer.as_str().to_owned(),
            environment: annulment.environment.as_str().to_owned(),
            kind: annulment.kind.as_str().to_owned(),
            range_first: i64::try_from(annulment.range).ok()?,
            first: i64::try_from(annulment.first).ok()?,
            last: i64::try_from(annulment.last).ok()?,
            requested_at: millis(annulment.intended_at),
            state: annulment.into(),
        })
    }
}

impl From<&Annulment> for AnnulmentStateRow {
    fn from(annulment: &Annulment) -> Self {
        Self {
            state: annulment.state.as_str().to_owned(),
            resolved_at: annulment.settled_at.map(millis),
            authority_messages: records::json(&annulment.authority_messages),
        }
    }
}

impl TryFrom<AnnulmentRow> for Annulment {
    type Error = Inconsistent;

    fn try_from(row: AnnulmentRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("annulments", &row.id);
        row.restore().map_err(broken)
    }
}

impl AnnulmentRow {
    fn restore(self) -> Result<Annulment, &'static str> {
        Ok(Annulment {
            id: AnnulmentId::parse(&self.id).ok_or("id")?,
            issuer: TaxId::parse(&self.issuer).map_err(|_| "issuer")?,
            environment: Environment::from_code(&self.environment).ok_or("environment")?,
            kind: DocumentKind::from_code(&self.kind).ok_or("kind")?,
            range: u64::try_from(self.range_first).map_err(|_| "range_first")?,
            first: u64::try_from(self.first).map_err(|_| "first")?,
            last: u64::try_from(self.last).map_err(|_| "last")?,
            intended_at: instant(self.requested_at).ok_or("requested_at")?,
            state: AnnulmentState::from_code(&self.state.state).ok_or("state")?,
            settled_at: optional(self.state.resolved_at, instant).ok_or("resolved_at")?,
            authority_messages: records::parse(&self.state.authority_messages).ok_or("authority_messages")?,
        })
    }
}
