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

use super::{Backend, Store, accounts::write_credentials};
use crate::{
    failure::{Refused, unavailable},
    rows::{AccountRow, CertificateRow, MerchantKeyRow, ProfileRow, RangeRow, RateRow, read_tenant},
    schema::{
        accounts, certificates, exchange_rates, fiscal_documents, merchant_key_uses, merchant_keys, merchants,
        number_ranges, profiles,
    },
    scope::Scope,
    time::{instant, millis},
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
        let mut writes = vec![new(diesel::insert_into(merchants::table).values(row).on_conflict_do_nothing())];
        for profile in &profiles {
            let row = ProfileRow::from(profile);
            writes.push(new(diesel::insert_into(profiles::table).values(row).on_conflict_do_nothing()));
        }
        Ok(self.apply(Scope::new_merchant(id), writes).await?)
    }

    async fn add_account(&self, account: Account) -> Result<(), RegistryError> {
        let scope = Scope::of(&Tenant { merchant: account.merchant.clone(), mode: account.mode });
        let insert = diesel::insert_into(accounts::table).values(AccountRow::from(&account)).on_conflict_do_nothing();
        Ok(self.apply(scope, vec![new(insert)]).await?)
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
        let row = MerchantKeyRow::from(&key);
        let insert = diesel::insert_into(merchant_keys::table).values(row).on_conflict_do_nothing();
        Ok(self.apply(scope, vec![new(insert)]).await?)
    }

    async fn keys(&self, tenant: &Tenant) -> Result<Vec<MerchantKey>, Unavailable> {
        let query = merchant_keys::table
            .filter(merchant_keys::merchant.eq(tenant.merchant.to_string()))
            .filter(merchant_keys::mode.eq(tenant.mode.as_str()))
            .order((merchant_keys::created_at, merchant_keys::digest))
            .select(MerchantKeyRow::as_select());
        let rows: Vec<MerchantKeyRow> = self.load(Scope::of(tenant), query).await?;
        rows.into_iter().map(MerchantKey::try_from).collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn key_uses(&self, tenant: &Tenant) -> Result<Vec<KeyUse>, Unavailable> {
        let query = merchant_key_uses::table
            .filter(merchant_key_uses::merchant.eq(tenant.merchant.to_string()))
            .filter(merchant_key_uses::mode.eq(tenant.mode.as_str()))
            .order(merchant_key_uses::digest)
            .select((merchant_key_uses::digest, merchant_key_uses::last_used_at));
        let rows: Vec<(Vec<u8>, i64)> = self.load(Scope::of(tenant), query).await?;
        let read = |(digest, at): (Vec<u8>, i64)| {
            let digest = digest.try_into().map_err(|_| unavailable("merchant_key_uses.digest is inconsistent"))?;
            Ok(KeyUse {
                tenant: tenant.clone(),
                digest,
                at: instant(at).ok_or_else(|| unavailable("merchant_key_uses.last_used_at is inconsistent"))?,
            })
        };
        rows.into_iter().map(read).collect()
    }

    async fn end_key(
        &self,
        key: &MerchantKey,
        at: DateTime<Utc>,
        successor: Option<MerchantKey>,
    ) -> Result<(), RegistryError> {
        let scope = Scope::of(&Tenant { merchant: key.merchant.clone(), mode: key.mode });
        let only = merchant_keys::digest
            .eq(key.digest.to_vec())
            .and(merchant_keys::merchant.eq(key.merchant.to_string()))
            .and(merchant_keys::mode.eq(key.mode.as_str()))
            .and(merchant_keys::ends_at.is_null().or(merchant_keys::ends_at.gt(millis(at))));
        let set = merchant_keys::ends_at.eq(millis(at)).as_changeset();
        let mut writes = vec![Write::or(Refused::Ended, Update { table: "merchant_keys", set, only })];
        if let Some(key) = successor {
            let row = MerchantKeyRow::from(&key);
            writes.push(new(diesel::insert_into(merchant_keys::table).values(row).on_conflict_do_nothing()));
        }
        Ok(self.apply(scope, writes).await?)
    }

    async fn add_range(&self, tenant: &Tenant, range: NumberRange, now: DateTime<Utc>) -> Result<(), RegistryError> {
        let row = RangeRow::new(tenant, &range, now).ok_or_else(|| unavailable("the number is too large"))?;
        let insert = diesel::insert_into(number_ranges::table).values(row).on_conflict_do_nothing();
        let mut writes = vec![new(insert), check_readiness(tenant, now)];
        writes.extend(retry(tenant, IssuerSetupChange::Range, now));
        Ok(self.apply(Scope::issuer(tenant, &range.issuer), writes).await?)
    }

    async fn add_certificate(&self, certificate: StoredCertificate) -> Result<(), RegistryError> {
        let (tenant, imported_at) = (certificate.tenant.clone(), certificate.imported_at);
        let row = CertificateRow::from(certificate);
        let insert = diesel::insert_into(certificates::table).values(row).on_conflict_do_nothing();
        let mut writes = vec![new(insert), check_readiness(&tenant, imported_at)];
        writes.extend(retry(&tenant, IssuerSetupChange::Certificate, imported_at));
        Ok(self.apply(Scope::of(&tenant), writes).await?)
    }

    async fn certificates(&self, tenant: &Tenant) -> Result<Vec<StoredCertificate>, Unavailable> {
        let query = certificates::table
            .filter(certificates::merchant.eq(tenant.merchant.to_string()))
            .filter(certificates::mode.eq(tenant.mode.as_str()))
            .order((certificates::imported_at.desc(), certificates::id.desc()))
            .select(CertificateRow::as_select());
        let rows: Vec<CertificateRow> = self.load(Scope::of(tenant), query).await?;
        rows.into_iter().map(StoredCertificate::try_from).collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn profiles(&self) -> Result<Vec<Profile>, Unavailable> {
        let query = profiles::table
            .filter(profiles::mode.eq(Mode::Test.as_str()))
            .order(profiles::merchant)
            .select(ProfileRow::as_select());
        let rows: Vec<ProfileRow> = self.load(Scope::all_tenants(), query).await?;
        rows.into_iter().map(Profile::try_from).collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn tenants(&self) -> Result<Vec<Tenant>, Unavailable> {
        let with_accounts = accounts::table.select((accounts::merchant, accounts::mode)).distinct();
        let with_ranges = number_ranges::table.select((number_ranges::merchant, number_ranges::mode)).distinct();
        let (some, others): (Vec<(String, String)>, Vec<(String, String)>) =
            self.load_two(Scope::all_tenants(), with_accounts, with_ranges).await?;
        let all: BTreeSet<(String, String)> = some.into_iter().chain(others).collect();
        let tenant = |(merchant, mode): (String, String)| {
            read_tenant(&merchant, &mode).ok_or_else(|| unavailable("accounts.merchant is inconsistent"))
        };
        all.into_iter().map(tenant).collect()
    }

    async fn add_rate(&self, tenant: &Tenant, rate: &ExchangeRate, now: DateTime<Utc>) -> Result<(), RegistryError> {
        let row = RateRow::new(tenant, rate, now);
        let insert = diesel::insert_into(exchange_rates::table).values(row).on_conflict_do_nothing();
        Ok(self.apply(Scope::of(tenant), vec![new(insert)]).await?)
    }
}

/// Makes the readiness checks of the tenant's accounts due: the operator's change may complete an account.
fn check_readiness(tenant: &Tenant, now: DateTime<Utc>) -> Write<Backend> {
    let only = accounts::merchant.eq(tenant.merchant.to_string()).and(accounts::mode.eq(tenant.mode.as_str()));
    let set = accounts::readiness_due_at.eq(millis(now)).as_changeset();
    Write::unchecked(Update { table: "accounts", set, only })
}

/// Makes the tenant's documents due that wait for this change of the setup.
pub(super) fn retry(tenant: &Tenant, remedy: IssuerSetupChange, now: DateTime<Utc>) -> Vec<Write<Backend>> {
    let due_now = |problem: &ProblemCode| {
        let only = fiscal_documents::merchant
            .eq(tenant.merchant.to_string())
            .and(fiscal_documents::mode.eq(tenant.mode.as_str()))
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
