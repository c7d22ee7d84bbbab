use actix_web::{
    Error,
    web::{Bytes, Data},
};
use app::operators::{QuotedRate, set_rate};
use domain::{
    Currency,
    fiscal::{ExchangeRate, local_date},
    text::BoundedText,
};
use serde::Deserialize;

use super::{Control, answer, answer::Answer};
use crate::operator::of_rate;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Quote {
    rate: String,
}

/// Sets the exchange rate of the demo merchant from the sandbox's present day on, as `cobro rate set` does.
pub(super) async fn set(control: Data<Control>, body: Result<Bytes, Error>) -> Answer {
    let Control { ports, demo, .. } = &**control;
    let quote: Quote = answer::body(body)?;
    let source = BoundedText::parse("Sandbox");
    let (Some(ratio), Some(source)) = (ExchangeRate::read_ratio(&quote.rate), source) else {
        let message = "The rate is a text as 58.1234, from 1.0000 to 999.9999.";
        return Err(answer::refused(message, Some("rate")));
    };
    let day = local_date(ports.clock.now());
    let quoted = QuotedRate { currency: Currency::Usd, ratio, day, source, days: ExchangeRate::DAYS };
    let rate = set_rate(&*ports.registry, &*ports.clock, demo, quoted).await.map_err(answer::failed)?;
    answer::of(&of_rate(&rate))
}
