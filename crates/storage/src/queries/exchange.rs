use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    dsl::sql,
    prelude::*,
    sql_types::{BigInt, Bool},
};
use domain::{
    FiscalDocument, FiscalDocumentId, Mode,
    fiscal::{Environment, Inflow, TaxId},
};
use ports::{Committed, InterchangeStore, ReceivedDocument, StoredApproval, Tenant, Unavailable};

use super::{Backend, Store};
use crate::{
    failure::{Refused, committed, unavailable},
    rows::{ApprovalRow, DocumentRow, ReceivedRow, read_tenant},
    schema::{commercial_approvals, fiscal_documents, profiles, received_documents},
    scope::Scope,
    time::bound,
    write::Write,
};

/// Maximum number of tenants with one taxpayer number.
const TENANTS: i64 = 16;

#[async_trait]
impl InterchangeStore for Store {
    async fn recipients(&self, rnc: &TaxId, environment: Environment) -> Result<Vec<Tenant>, Unavailable> {
        let mode = if environment == Environment::Production { Mode::Live } else { Mode::Test };
        let query = profiles::table
            .filter(profiles::rnc.eq(rnc.as_str().to_owned()))
            .filter(profiles::mode.eq(mode.as_str()))
            .order(profiles::merchant)
            .limit(TENANTS)
            .select((profiles::merchant, profiles::mode));
        let rows: Vec<(String, String)> = self.load(Scope::recipient(rnc), query).await?;
        let tenant = |(merchant, mode): (String, String)| read_tenant(&merchant, &mode);
        rows.into_iter()
            .map(tenant)
            .collect::<Option<_>>()
            .ok_or_else(|| unavailable("profiles.merchant is inconsistent"))
    }

    async fn received(
        &self,
        tenant: &Tenant,
        environment: Environment,
        sender: &str,
        number: &str,
    ) -> Result<Option<ReceivedDocument>, Unavailable> {
        let key = (
            tenant.merchant.to_string(),
            tenant.mode.as_str(),
            environment.as_str(),
            sender.to_owned(),
            number.to_owned(),
        );
        let query = received_documents::table.find(key).select(ReceivedRow::as_select());
        let row: Option<ReceivedRow> = self.load(Scope::of(tenant), query).await?.pop();
        row.map(ReceivedDocument::try_from).transpose().map_err(unavailable)
    }

    async fn inflow(
        &self,
        tenant: &Tenant,
        sender: &str,
        since: DateTime<Utc>,
    ) -> Result<(Inflow, Inflow), Unavailable> {
        let of_all = received_documents::table
            .filter(received_documents::merchant.eq(tenant.merchant.to_string()))
            .filter(received_documents::mode.eq(tenant.mode.as_str()))
            .filter(received_documents::received_at.ge(bound(since)))
            .select((sql::<BigInt>("count(*)"), sql::<BigInt>("coalesce(sum(length(xml)), 0)")));
        let of_sender = of_all.clone().filter(received_documents::sender.eq(sender.to_owned()));
        let (of_sender, of_all) = self.load_two(Scope::of(tenant), of_sender, of_all).await?;
        Ok((inflow(of_sender), inflow(of_all)))
    }

    async fn store_received(&self, tenant: &Tenant, received: ReceivedDocument) -> Result<Committed, Unavailable> {
        let row = ReceivedRow::new(tenant, received);
        let insert = diesel::insert_into(received_documents::table).values(row).on_conflict_do_nothing();
        let insert: Write<Backend> = Write::or(Refused::Stale, insert);
        committed(self.apply(Scope::of(tenant), vec![insert]).await)
    }

    async fn document_of(
        &self,
        tenant: &Tenant,
        environment: Environment,
        issuer: &TaxId,
        number: &str,
    ) -> Result<Option<FiscalDocument>, Unavailable> {
        let query = fiscal_documents::table
            .filter(fiscal_documents::merchant.eq(tenant.merchant.to_string()))
            .filter(fiscal_documents::mode.eq(tenant.mode.as_str()))
            .filter(fiscal_documents::issuer.eq(issuer.as_str().to_owned()))
            .filter(fiscal_documents::environment.eq(environment.as_str()))
            .filter(fiscal_documents::fiscal_number.eq(number.to_owned()))
            // A literal value, to match the partial index.
            .filter(sql::<Bool>("fiscal_documents.status = 'issued'"))
            .select(DocumentRow::as_select());
        let row: Option<DocumentRow> = self.load(Scope::of(tenant), query).await?.pop();
        row.map(FiscalDocument::try_from).transpose().map_err(unavailable)
    }

    async fn approval(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
    ) -> Result<Option<StoredApproval>, Unavailable> {
        let query = commercial_approvals::table
            .find((tenant.merchant.to_string(), tenant.mode.as_str(), document.to_string()))
            .select(ApprovalRow::as_select());
        let row: Option<ApprovalRow> = self.load(Scope::of(tenant), query).await?.pop();
        row.map(StoredApproval::try_from).transpose().map_err(unavailable)
    }

    async fn store_approval(&self, tenant: &Tenant, kept: StoredApproval) -> Result<Committed, Unavailable> {
        let row = ApprovalRow::new(tenant, kept);
        let insert = diesel::insert_into(commercial_approvals::table).values(row).on_conflict_do_nothing();
        let insert: Write<Backend> = Write::or(Refused::Stale, insert);
        committed(self.apply(Scope::of(tenant), vec![insert]).await)
    }
}

fn inflow(mut rows: Vec<(i64, i64)>) -> Inflow {
    let (documents, bytes) = rows.pop().unwrap_or_default();
    let exact = |it| u64::try_from(it).unwrap_or_default();
    Inflow { documents: exact(documents), bytes: exact(bytes) }
}
