use std::collections::BTreeSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{prelude::*, query_builder::AsChangeset};
use domain::{
    MerchantId, Mode,
    account::{Account, ReadinessChange},
    credential::MerchantKey,
    fiscal::{ExchangeRate, IssuerSetupChange, NumberRange, ProblemCode},
    merchant::Profile,
};
use ports::{KeyUse, MerchantRegistry, RegistryError, StoredCertificate, Tenant, Unavailable};

use super::{
    Backend, Store,
    accounts::write_credentials,
    filters::{insert, only},
};
use crate::{
    failure::{Refused, unavailable},
    rows::{AccountRow, CertificateRow, KeyUseRow, MerchantKeyRow, ProfileRow, RangeRow, RateRow, restore_tenant},
    schema::{
        accounts, certificates, exchange_rates, fiscal_documents, merchant_key_uses, merchant_keys, merchants,
        number_ranges, profiles,
    },
    scope::Scope,
    time::millis,
    write::{Update, Write},
};

#[async_trait]
impl MerchantRegistry for Store {
    async fn add_merchant(
        &self,
        id: &MerchantId,
        profiles: Vec<Profile>,
        is_live_enabled: bool,
        now: DateTime<Utc>,
    ) -> Result<(), RegistryError> {
        let row = (
            merchants::id.eq(id.to_string()),
            merchants::is_live_enabled.eq(is_live_enabled),
            merchants::created_at.eq(millis(now)),
        );
        let mut writes = vec![new(insert!(merchants, row))];
        writes.extend(profiles.iter().map(|it| new(insert!(profiles, ProfileRow::from(it)))));
        Ok(self.apply(Scope::new_merchant(id), writes).await?)
    }

    async fn add_account(&self, account: Account) -> Result<(), RegistryError> {
        let scope = Scope::of(&Tenant { merchant: account.merchant.clone(), mode: account.mode });
        Ok(self.apply(scope, vec![new(insert!(accounts, AccountRow::from(&account)))]).await?)
    }

    async fn set_credentials<'a>(
        &self,
        to: &Account,
        sealed: Vec<u8>,
        change: Option<&'a ReadinessChange>,
        now: DateTime<Utc>,
    ) -> Result<(), RegistryError> {
        let tenant = Tenant { merchant: to.merchant.clone(), mode: to.mode };
        let writes = write_credentials(&tenant, to, (sealed, now), change);
        Ok(self.apply(Scope::of(&tenant), writes).await?)
    }

    async fn add_key(&self, key: MerchantKey) -> Result<(), RegistryError> {
        let scope = Scope::of(&Tenant { merchant: key.merchant.clone(), mode: key.mode });
        Ok(self.apply(scope, vec![new(insert!(merchant_keys, MerchantKeyRow::from(&key)))]).await?)
    }

    async fn keys(&self, tenant: &Tenant) -> Result<Vec<MerchantKey>, Unavailable> {
        let query = merchant_keys::table
            .filter(only!(merchant_keys, tenant))
            .order((merchant_keys::created_at, merchant_keys::digest))
            .select(MerchantKeyRow::as_select());
        self.all(Scope::of(tenant), query).await
    }

    async fn key_uses(&self, tenant: &Tenant) -> Result<Vec<KeyUse>, Unavailable> {
        let query = merchant_key_uses::table
            .filter(only!(merchant_key_uses, tenant))
            .order(merchant_key_uses::digest)
            .select(KeyUseRow::as_select());
        self.all(Scope::of(tenant), query).await
    }

    async fn end_key(
        &self,
        key: &MerchantKey,
        at: DateTime<Utc>,
        successor: Option<MerchantKey>,
    ) -> Result<(), RegistryError> {
        let scope = Scope::of(&Tenant { merchant: key.merchant.clone(), mode: key.mode });
        let only = only!(merchant_keys, key, digest = key.digest.to_vec())
            .and(merchant_keys::ends_at.is_null().or(merchant_keys::ends_at.gt(millis(at))));
        let set = merchant_keys::ends_at.eq(millis(at)).as_changeset();
        let mut writes = vec![Write::or(Refused::Ended, Update { table: "merchant_keys", set, only })];
        writes.extend(successor.map(|key| new(insert!(merchant_keys, MerchantKeyRow::from(&key)))));
        Ok(self.apply(scope, writes).await?)
    }

    async fn add_range(&self, tenant: &Tenant, range: NumberRange, now: DateTime<Utc>) -> Result<(), RegistryError> {
        let row = (RangeRow::from((tenant, &range)), number_ranges::created_at.eq(millis(now)));
        let mut writes = vec![new(insert!(number_ranges, row)), check_readiness(tenant, now)];
        writes.extend(retry(tenant, IssuerSetupChange::Range, now));
        Ok(self.apply(Scope::issuer(tenant, &range.issuer), writes).await?)
    }

    async fn add_certificate(&self, certificate: StoredCertificate) -> Result<(), RegistryError> {
        let (tenant, imported_at) = (certificate.tenant.clone(), certificate.imported_at);
        let row = CertificateRow::from(&certificate);
        let mut writes = vec![new(insert!(certificates, row)), check_readiness(&tenant, imported_at)];
        writes.extend(retry(&tenant, IssuerSetupChange::Certificate, imported_at));
        Ok(self.apply(Scope::of(&tenant), writes).await?)
    }

    async fn certificates(&self, tenant: &Tenant) -> Result<Vec<StoredCertificate>, Unavailable> {
        let query = certificates::table
            .filter(only!(certificates, tenant))
            .order((certificates::imported_at.desc(), certificates::id.desc()))
            .select(CertificateRow::as_select());
        self.all(Scope::of(tenant), query).await
    }

    async fn profiles(&self) -> Result<Vec<Profile>, Unavailable> {
        let query = profiles::table
            .filter(profiles::mode.eq(Mode::Test.as_str()))
            .order(profiles::merchant)
            .select(ProfileRow::as_select());
        self.all(Scope::ALL_TENANTS, query).await
    }

    async fn tenants(&self) -> Result<Vec<Tenant>, Unavailable> {
        let with_accounts = accounts::table.select((accounts::merchant, accounts::mode)).distinct();
        let with_ranges = number_ranges::table.select((number_ranges::merchant, number_ranges::mode)).distinct();
        let (some, others): (Vec<(String, String)>, Vec<(String, String)>) =
            self.load_two(Scope::ALL_TENANTS, with_accounts, with_ranges).await?;
        let all: BTreeSet<(String, String)> = some.into_iter().chain(others).collect();
        let tenants = all.into_iter().map(|(merchant, mode)| restore_tenant("accounts", merchant, mode));
        tenants.collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn add_rate(&self, tenant: &Tenant, rate: &ExchangeRate, now: DateTime<Utc>) -> Result<(), RegistryError> {
        let row = (RateRow::new(tenant, rate), exchange_rates::set_at.eq(millis(now)));
        Ok(self.apply(Scope::of(tenant), vec![new(insert!(exchange_rates, row))]).await?)
    }
}

/// Makes the readiness checks of the tenant's accounts due: the operator's change may complete an account.
fn check_readiness(tenant: &Tenant, now: DateTime<Utc>) -> Write<Backend> {
    let set = accounts::readiness_due_at.eq(millis(now)).as_changeset();
    Write::unchecked(Update { table: "accounts", set, only: only!(accounts, tenant) })
}

/// Makes the tenant's documents due that wait for this change of the setup.
pub(super) fn retry(tenant: &Tenant, remedy: IssuerSetupChange, now: DateTime<Utc>) -> Vec<Write<Backend>> {
    let due_now = |problem: &ProblemCode| {
        let only = only!(fiscal_documents, tenant)
            .and(fiscal_documents::problem.is_not_null())
            .and(fiscal_documents::problem.eq(problem.as_str()))
            .and(fiscal_documents::due_at.gt(millis(now)));
        let set = fiscal_documents::due_at.eq(millis(now)).as_changeset();
        Write::unchecked(Update { table: "fiscal_documents", set, only })
    };
    remedy.clears().iter().map(due_now).collect()
}

fn new(insert: impl diesel::query_builder::QueryFragment<Backend> + Send + Sync + 'static) -> Write<Backend> {
    Write::or(Refused::Exists, insert)
}
