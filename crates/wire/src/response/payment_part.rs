use domain::sale::Sale;
use serde::Serialize;

use super::{
    PublicUrls, Timestamp,
    payment_status::{Decline, NextAction},
    split::Part,
};

/// One share of a bill, as a resource of its own.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentPartResponse<'a> {
    object: &'static str,
    payment_id: &'a str,
    #[serde(flatten)]
    part: Part<'a>,
    decline: Option<Decline>,
    attempt_count: u32,
    authorization_valid_until: Option<Timestamp>,
    /// Whoever pays the share is sent there. The payment's own next action is for all the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_action: Option<NextAction>,
}

impl<'a> PaymentPartResponse<'a> {
    /// The part of that ordinal of `sale`, if there is one.
    pub fn of(sale: &'a Sale, ordinal: u8, urls: &PublicUrls) -> Option<Self> {
        let part = sale.payment.split()?.part(ordinal)?;
        Some(Self {
            object: "payment_part",
            payment_id: sale.payment.facts.id.as_str(),
            part: part.into(),
            decline: part.decline().map(Decline::from),
            attempt_count: part.tries(),
            authorization_valid_until: part.authorization_valid_until().map(Timestamp::from),
            next_action: part.challenge().map(|it| NextAction::of_challenge(it, urls)),
        })
    }
}
