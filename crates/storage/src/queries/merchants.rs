use async_trait::async_trait;
use chrono::NaiveDate;
use diesel::{
    dsl::{AsSelect, auto_type},
    prelude::*,
};
use domain::{
    Currency,
    account::Account,
    fiscal::{Environment, ExchangeRate, IssuerState, NumberRange},
    merchant::Profile,
};
use ports::{MerchantStore, Setup, StoredCertificate, Tenant, Unavailable};

use super::{Backend, Store};
use crate::{
    Four,
    failure::unavailable,
    rows::{AccountRow, CertificateRow, Inconsistent, ProfileRow, RangeRow, RateRow},
    schema::{accounts, certificates, exchange_rates, merchants, number_ranges, profiles},
    scope::Scope,
    time,
};

#[async_trait]
impl MerchantStore for Store {
    async fn setup(&self, tenant: &Tenant) -> Result<Setup, Unavailable> {
        let (merchant, mode) = (tenant.merchant.to_string(), tenant.mode.as_str());
        let profiles = profiles::table.find((merchant.clone(), mode)).select(ProfileRow::as_select());
        let accounts = accounts::table
            .inner_join(merchants::table.on(merchants::id.eq(accounts::merchant)))
            .filter(accounts::merchant.eq(merchant.clone()))
            .filter(accounts::mode.eq(mode))
            .order((accounts::created_at, accounts::id))
            .select((AccountRow::as_select(), merchants::is_live_enabled));
        let ranges = number_ranges::table
            .filter(number_ranges::merchant.eq(merchant.clone()))
            .filter(number_ranges::mode.eq(mode))
            .filter(number_ranges::environment.eq(Environment::of(tenant.mode).as_str()))
            .order((number_ranges::created_at, number_ranges::first))
            .select(RangeRow::as_select());
        let certificates = newest_certificate(tenant);

        let rows = self.load_four(Scope::of(tenant), (profiles, accounts, ranges, certificates)).await?;
        restore(rows).map_err(unavailable)
    }

    async fn certificate(&self, tenant: &Tenant) -> Result<Option<StoredCertificate>, Unavailable> {
        let query = newest_certificate(tenant);
        let row: Option<CertificateRow> = self.load(Scope::of(tenant), query).await?.pop();
        row.map(StoredCertificate::try_from).transpose().map_err(unavailable)
    }

    async fn exchange_rate(
        &self,
        tenant: &Tenant,
        currency: Currency,
        today: NaiveDate,
    ) -> Result<Option<ExchangeRate>, Unavailable> {
        let query = exchange_rates::table
            .filter(exchange_rates::merchant.eq(tenant.merchant.to_string()))
            .filter(exchange_rates::mode.eq(tenant.mode.as_str()))
            .filter(exchange_rates::currency.eq(currency.code()))
            .filter(exchange_rates::day.le(time::day(today)))
            .order((exchange_rates::day.desc(), exchange_rates::set_at.desc()))
            .limit(1_i64)
            .select(RateRow::as_select());
        let row: Option<RateRow> = self.load(Scope::of(tenant), query).await?.pop();
        row.map(ExchangeRate::try_from).transpose().map_err(unavailable)
    }
}

#[auto_type(no_type_alias)]
fn newest_certificate(tenant: &Tenant) -> _ {
    let merchant: String = tenant.merchant.to_string();
    let mode: &'static str = tenant.mode.as_str();
    let columns: AsSelect<CertificateRow, Backend> = CertificateRow::as_select();
    certificates::table
        .filter(certificates::merchant.eq(merchant))
        .filter(certificates::mode.eq(mode))
        .order((certificates::imported_at.desc(), certificates::id.desc()))
        .limit(1_i64)
        .select(columns)
}

type Rows = Four<ProfileRow, (AccountRow, bool), RangeRow, CertificateRow>;

fn restore((mut profiles, accounts, ranges, mut certificates): Rows) -> Result<Setup, Inconsistent> {
    let profile = profiles.pop().map(Profile::try_from).transpose()?;
    let mut ranges = ranges.into_iter().map(NumberRange::try_from).collect::<Result<Vec<_>, _>>()?;
    // A range belongs to an issuer: one that was granted to another number is not the merchant's.
    ranges.retain(|range| profile.as_ref().is_some_and(|it| it.rnc.as_ref() == Some(&range.issuer)));
    let certificate = certificates.pop().map(StoredCertificate::try_from).transpose()?;
    Ok(Setup {
        profile,
        accounts: accounts.into_iter().map(account).collect::<Result<_, _>>()?,
        issuer: IssuerState { ranges, certificate: certificate.map(|it| it.facts) },
    })
}

fn account((row, is_live_enabled): (AccountRow, bool)) -> Result<Account, Inconsistent> {
    let account = Account::try_from(row)?;
    Ok(Account { is_mode_enabled: is_live_enabled || !account.mode.is_live(), ..account })
}
