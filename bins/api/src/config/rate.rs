use chrono::NaiveDate;
use clap::{Args, Subcommand, value_parser};
use domain::{Currency, fiscal::ExchangeRate, text::BoundedText};

use super::{
    owner::TenantOptions,
    values::{currency, day, line, ratio},
};

#[derive(Debug, Subcommand)]
pub(crate) enum RateCommand {
    /// Sets the exchange rate of a currency, for the documents of sales in that currency
    Set(RateOptions),
}

#[derive(Args, Debug)]
pub(crate) struct RateOptions {
    #[command(flatten)]
    pub(crate) tenant: TenantOptions,
    /// Pesos for one unit, such as 58.1234
    #[arg(value_name = "RATE", value_parser = ratio)]
    pub(crate) ratio: u32,
    /// The currency
    #[arg(long, default_value = "USD", value_parser = currency)]
    pub(crate) currency: Currency,
    /// First day of the rate
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub(crate) date: NaiveDate,
    /// Publisher of the rate, as printed on documents
    #[arg(long, value_parser = line::<80>)]
    pub(crate) source: BoundedText<1, 80>,
    /// Number of days on which sales use the rate. Sales are refused afterwards, until there is a newer rate
    #[arg(long, value_name = "DAYS", default_value_t = ExchangeRate::DAYS, value_parser = value_parser!(u16).range(1..=366))]
    pub(crate) valid_days: u16,
}
