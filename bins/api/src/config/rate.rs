use chrono::NaiveDate;
use clap::{Args, Subcommand, value_parser};
use domain::{Currency, fiscal::ExchangeRate, text::Line};

use super::{
    operator::{day, line},
    owner::TenantOptions,
};

#[derive(Debug, Subcommand)]
pub(crate) enum RateCommand {
    /// Sets what a currency is worth in pesos, for the documents of sales that are charged in it
    Set(RateOptions),
}

#[derive(Args, Debug)]
pub(crate) struct RateOptions {
    #[command(flatten)]
    pub(crate) tenant: TenantOptions,
    /// Pesos for one unit, as in 58.1234
    #[arg(value_name = "RATE", value_parser = ratio)]
    pub(crate) ratio: u32,
    /// The currency
    #[arg(long, default_value = "USD", value_parser = currency)]
    pub(crate) currency: Currency,
    /// The day of which it is; sales are made at it from then on
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub(crate) date: NaiveDate,
    /// Who published it, as documents print it
    #[arg(long, value_parser = line::<80>)]
    pub(crate) source: Line<1, 80>,
    /// Number of days, including its own, on which sales use the rate
    #[arg(long, value_name = "DAYS", default_value_t = ExchangeRate::DAYS, value_parser = value_parser!(u16).range(1..=366))]
    pub(crate) valid_days: u16,
}

fn ratio(text: &str) -> Result<u32, &'static str> {
    ExchangeRate::read_ratio(text).ok_or("1.0000 to 999.9999 is expected, with at most four decimals")
}

fn currency(text: &str) -> Result<Currency, &'static str> {
    Currency::from_code(text).filter(|it| *it != Currency::Dop).ok_or("USD is expected")
}
