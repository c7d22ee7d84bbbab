use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::{
    dsl::{auto_type, case_when},
    prelude::*,
};
use domain::{
    Currency,
    account::Account,
    fiscal::{Environment, ExchangeRate, IssuerState},
};
use ports::{MerchantStore, Setup, StoredCertificate, Tenant, Unavailable};

use super::{Store, filters::only};
use crate::{
    Rows4,
    failure::unavailable,
    rows::{AccountRow, CertificateRow, FactsRow, Inconsistent, ProfileRow, RangeRow, RateRow, StoredRow},
    schema::{accounts, certificates, exchange_rates, merchants, number_ranges, profiles},
    scope::Scope,
    time,
};

#[async_trait]
impl MerchantStore for Store {
    async fn setup(&self, tenant: &Tenant) -> Result<Setup, Unavailable> {
        let profile = (tenant.merchant.to_string(), tenant.mode.as_str());
        let profiles = profiles::table.find(profile).select(ProfileRow::as_select());
        let accounts = accounts::table
            .inner_join(merchants::table.on(merchants::id.eq(accounts::merchant)))
            .filter(only!(accounts, tenant))
            .order((accounts::created_at, accounts::id))
            .select((AccountRow::as_select(), merchants::is_live_enabled));
        let ranges = number_ranges::table
            .filter(only!(number_ranges, tenant, environment = Environment::of(tenant.mode).as_str()))
            .order((number_ranges::created_at, number_ranges::first))
            .select(RangeRow::as_select());
        let certificates = certificates(tenant).limit(NEWEST).select(FactsRow::as_select());

        let rows = self.load_pipelined(Scope::of(tenant), (profiles, accounts, ranges, certificates)).await?;
        restore(rows).map_err(unavailable)
    }

    async fn certificate(&self, tenant: &Tenant, now: DateTime<Utc>) -> Result<Option<StoredCertificate>, Unavailable> {
        let begun = certificates::not_before.le(time::millis(now));
        let query = certificates(tenant).filter(begun).limit(1).select(CertificateRow::as_select());
        self.one(Scope::of(tenant), query).await
    }

    async fn exchange_rate(
        &self,
        tenant: &Tenant,
        currency: Currency,
        today: NaiveDate,
    ) -> Result<Option<ExchangeRate>, Unavailable> {
        let query = exchange_rates::table
            .filter(only!(exchange_rates, tenant, currency = currency.code()))
            .filter(exchange_rates::day.le(time::day(today)))
            .order((exchange_rates::day.desc(), exchange_rates::set_at.desc()))
            .limit(1_i64)
            .select(RateRow::as_select());
        self.one(Scope::of(tenant), query).await
    }
}

/// Maximum number of certificates that are read for a tenant: the current one, and those that were imported ahead of
/// their day.
const NEWEST: i64 = 8;

/// Returns the tenant's certificates, sorted by the day on which they take effect, latest first.
#[auto_type(no_type_alias)]
fn certificates(tenant: &Tenant) -> _ {
    let merchant: String = tenant.merchant.to_string();
    let mode: &'static str = tenant.mode.as_str();
    let takes_effect_at = case_when(certificates::not_before.gt(certificates::imported_at), certificates::not_before)
        .otherwise(certificates::imported_at);
    certificates::table.filter(certificates::merchant.eq(merchant)).filter(certificates::mode.eq(mode)).order((
        takes_effect_at.desc(),
        certificates::not_before.desc(),
        certificates::id.desc(),
    ))
}

type Rows = Rows4<ProfileRow, (AccountRow, bool), RangeRow, FactsRow>;

fn restore((mut profiles, accounts, ranges, certificates): Rows) -> Result<Setup, Inconsistent> {
    let profile = profiles.pop().map(ProfileRow::restore).transpose()?;
    let ranges = ranges.into_iter().map(RangeRow::restore).collect::<Result<Vec<_>, _>>()?;
    // A range belongs to an issuer: new documents take no number that was granted to another one.
    let issuer = profile.as_ref().and_then(|profile| profile.rnc.as_ref());
    let (ranges, other_ranges) = ranges.into_iter().partition(|range| Some(&range.issuer) == issuer);
    Ok(Setup {
        profile,
        accounts: accounts.into_iter().map(account).collect::<Result<_, _>>()?,
        issuer: IssuerState {
            ranges,
            certificates: certificates.into_iter().map(FactsRow::restore).collect::<Result<_, _>>()?,
        },
        other_ranges,
    })
}

fn account((row, is_live_enabled): (AccountRow, bool)) -> Result<Account, Inconsistent> {
    let account = row.restore()?;
    Ok(Account { is_mode_enabled: is_live_enabled || !account.mode.is_live(), ..account })
}
