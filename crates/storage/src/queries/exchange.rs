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

use super::{
    Store,
    filters::{insert, key, only},
};
use crate::{
    failure::{Refused, committed, unavailable},
    rows::{ApprovalRow, DocumentRow, ReceivedRow, restore_tenant},
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
        let tenants = rows.into_iter().map(|(merchant, mode)| restore_tenant("profiles", merchant, mode));
        tenants.collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn received(
        &self,
        tenant: &Tenant,
        environment: Environment,
        sender: &str,
        number: &str,
    ) -> Result<Option<ReceivedDocument>, Unavailable> {
        let (merchant, mode, sender) = key(tenant, &sender);
        let query = received_documents::table
            .find((merchant, mode, environment.as_str(), sender, number.to_owned()))
            .select(ReceivedRow::as_select());
        self.one(Scope::of(tenant), query).await
    }

    async fn inflow(
        &self,
        tenant: &Tenant,
        sender: &str,
        since: DateTime<Utc>,
    ) -> Result<(Inflow, Inflow), Unavailable> {
        let of_all = received_documents::table
            .filter(only!(received_documents, tenant))
            .filter(received_documents::received_at.ge(bound(since)))
            .select((sql::<BigInt>("count(*)"), sql::<BigInt>("coalesce(sum(length(xml)), 0)")));
        let of_sender = of_all.clone().filter(received_documents::sender.eq(sender.to_owned()));
        let (of_sender, of_all) = self.load_two(Scope::of(tenant), of_sender, of_all).await?;
        Ok((inflow(of_sender), inflow(of_all)))
    }

    async fn store_received(&self, tenant: &Tenant, received: ReceivedDocument) -> Result<Committed, Unavailable> {
        let row = ReceivedRow::from((tenant, &received));
        committed(
            self.apply(Scope::of(tenant), vec![Write::or(Refused::Stale, insert!(received_documents, row))]).await,
        )
    }

    async fn document_of(
        &self,
        tenant: &Tenant,
        environment: Environment,
        issuer: &TaxId,
        number: &str,
    ) -> Result<Option<FiscalDocument>, Unavailable> {
        let query = fiscal_documents::table
            .filter(only!(fiscal_documents, tenant, issuer = issuer.as_str().to_owned()))
            .filter(fiscal_documents::environment.eq(environment.as_str()))
            .filter(fiscal_documents::fiscal_number.eq(number.to_owned()))
            // A literal value, to match the partial index.
            .filter(sql::<Bool>("fiscal_documents.status = 'issued'"))
            .select(DocumentRow::as_select());
        self.one(Scope::of(tenant), query).await
    }

    async fn approval(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
    ) -> Result<Option<StoredApproval>, Unavailable> {
        let query = commercial_approvals::table.find(key(tenant, document)).select(ApprovalRow::as_select());
        self.one(Scope::of(tenant), query).await
    }

    async fn store_approval(&self, tenant: &Tenant, stored: StoredApproval) -> Result<Committed, Unavailable> {
        let row = ApprovalRow::from((tenant, &stored));
        let insert = Write::or(Refused::Stale, insert!(commercial_approvals, row));
        committed(self.apply(Scope::of(tenant), vec![insert]).await)
    }
}

fn inflow(mut rows: Vec<(i64, i64)>) -> Inflow {
    let (documents, bytes) = rows.pop().unwrap_or_default();
    let exact = |it| u64::try_from(it).unwrap_or_default();
    Inflow { documents: exact(documents), bytes: exact(bytes) }
}
