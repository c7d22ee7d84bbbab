use actix_web::{
    HttpRequest, HttpResponse,
    web::{Bytes, Data},
};
use app::operators::{QuotedRate, set_rate};
use domain::{
    Currency,
    fiscal::{ExchangeRate, local_date},
    text::BoundedText,
};
use serde::Deserialize;

use super::{Control, answer};
use crate::operator::of_rate;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Quote {
    rate: String,
}

/// Sets the exchange rate of the demo merchant from the sandbox's present day on, as `cobro rate set` does.
pub(super) async fn set(control: Data<Control>, request: HttpRequest, body: Bytes) -> HttpResponse {
    let Control { urls, ports, demo, .. } = &**control;
    let quote: Quote = match answer::body(&body) {
        Ok(quote) => quote,
        Err(why) => return answer::refused(&request, urls, &why, None),
    };
    let source = BoundedText::parse("Sandbox");
    let (Some(ratio), Some(source)) = (ExchangeRate::read_ratio(&quote.rate), source) else {
        let message = "The rate is a text as 58.1234, from 1.0000 to 999.9999.";
        return answer::refused(&request, urls, message, Some("rate"));
    };
    let day = local_date(ports.clock.now());
    let quoted = QuotedRate { currency: Currency::Usd, ratio, day, source, days: ExchangeRate::DAYS };
    match set_rate(&*ports.registry, &*ports.clock, demo, quoted).await {
        Ok(rate) => answer::of(&of_rate(&rate)),
        Err(error) => answer::broken(&request, urls, &error),
    }
}
