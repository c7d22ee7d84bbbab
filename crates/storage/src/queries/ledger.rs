use async_trait::async_trait;
use diesel::prelude::*;
use domain::fiscal::{GivenNumber, NumberRange};
use ports::{NumberLedger, Tenant, Unavailable};

use super::Store;
use crate::{
    failure::unavailable,
    rows::{GivenRow, RangeRow},
    schema::{fiscal_documents, fiscal_numbers, number_ranges},
    scope::Scope,
};

#[async_trait]
impl NumberLedger for Store {
    async fn ranges(&self, tenant: &Tenant) -> Result<Vec<NumberRange>, Unavailable> {
        let query = number_ranges::table
            .filter(number_ranges::merchant.eq(tenant.merchant.to_string()))
            .filter(number_ranges::mode.eq(tenant.mode.as_str()))
            .order((number_ranges::created_at, number_ranges::environment, number_ranges::kind, number_ranges::first))
            .select(RangeRow::as_select());
        let rows: Vec<RangeRow> = self.load(Scope::of(tenant), query).await?;
        rows.into_iter().map(NumberRange::try_from).collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn given(
        &self,
        tenant: &Tenant,
        range: &NumberRange,
        from: u64,
        limit: u16,
    ) -> Result<Vec<GivenNumber>, Unavailable> {
        let bound = |it| i64::try_from(it).unwrap_or(i64::MAX);
        let its_document = fiscal_documents::merchant
            .eq(fiscal_numbers::merchant)
            .and(fiscal_documents::mode.eq(fiscal_numbers::mode))
            .and(fiscal_documents::id.eq(fiscal_numbers::document));
        let query = fiscal_numbers::table
            .inner_join(fiscal_documents::table.on(its_document))
            .filter(fiscal_numbers::merchant.eq(tenant.merchant.to_string()))
            .filter(fiscal_numbers::mode.eq(tenant.mode.as_str()))
            .filter(fiscal_numbers::issuer.eq(range.issuer.as_str().to_owned()))
            .filter(fiscal_numbers::environment.eq(range.environment.as_str()))
            .filter(fiscal_numbers::kind.eq(range.kind.as_str()))
            .filter(fiscal_numbers::sequence.between(bound(from.max(range.first)), bound(range.last)))
            .order(fiscal_numbers::sequence)
            .limit(limit.into())
            .select((
                fiscal_numbers::kind,
                fiscal_numbers::sequence,
                fiscal_numbers::valid_until,
                fiscal_numbers::issue_date,
                fiscal_numbers::document,
                fiscal_numbers::revision,
                fiscal_numbers::allotted_at,
                fiscal_documents::payment,
                fiscal_documents::revision,
                fiscal_documents::status,
                fiscal_documents::stage,
            ));
        let rows: Vec<GivenRow> = self.load(Scope::of(tenant), query).await?;
        rows.into_iter().map(GivenNumber::try_from).collect::<Result<_, _>>().map_err(unavailable)
    }
}
