use app::operators::{QuotedRate, set_rate};
use domain::fiscal::ExchangeRate;
use serde_json::{Value, json};

use super::{print, tenant};
use crate::{
    clock::SystemClock,
    config::{RateCommand, RateOptions},
    failure::{Context, Done},
    stores::Stores,
};

pub(crate) async fn run(RateCommand::Set(options): RateCommand) -> Done {
    let RateOptions { tenant: whose, ratio, currency, date, source, valid_days } = options;
    let stores = Stores::postgres(&whose.operator.database.url()?).await?.with_right_clock().await?;
    let quoted = QuotedRate { currency, ratio, day: date, source, days: valid_days };
    let rate = set_rate(&*stores.database, &SystemClock, &tenant(&whose), quoted).await;
    print(&of_rate(&rate.or_fail("the rate was not set")?))
}

/// JSON of a rate.
pub(crate) fn of_rate(rate: &ExchangeRate) -> Value {
    json!({
        "currency": rate.currency().code(),
        "rate": rate.ratio_text(),
        "date": rate.day().to_string(),
        "source": rate.source().as_str(),
        "lastDay": rate.last_day().to_string(),
    })
}
