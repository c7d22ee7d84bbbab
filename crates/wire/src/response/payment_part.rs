use domain::{PaymentId, sale::Sale};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    PublicUrls,
    payment_status::{Decline, NextAction},
    split::Part,
    value::{Id, PaymentPartObject, Timestamp},
};

/// Part of a split, as a resource of its own.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentPart")]
pub struct PaymentPartResponse<'a> {
    /// Type of the object.
    object: PaymentPartObject,
    /// Payment that the part belongs to.
    payment_id: Id<'a, PaymentId>,
    #[serde(flatten)]
    part: Part<'a>,
    /// Why the issuer declined the card. `null` unless `status` is `declined`.
    decline: Option<Decline>,
    /// Number of cards that were submitted.
    attempt_count: u32,
    /// When the reservation of the funds lapses. `null` unless funds are reserved.
    authorization_valid_until: Option<Timestamp>,
    // The payment's own next action is for the payers of the other parts.
    /// 3-D Secure challenge of the payer of this part. Present while the issuer waits for the payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_action: Option<NextAction>,
}

impl<'a> PaymentPartResponse<'a> {
    /// Returns the part `ordinal` of `sale`. `None` if there is no such part.
    pub fn of(sale: &'a Sale, ordinal: u8, urls: &PublicUrls) -> Option<Self> {
        let part = sale.payment.split()?.part(ordinal)?;
        Some(Self {
            object: PaymentPartObject,
            payment_id: (&sale.payment.facts.id).into(),
            part: part.into(),
            decline: part.decline().map(Decline::from),
            attempt_count: part.tries(),
            authorization_valid_until: part.authorization_valid_until().map(Timestamp::from),
            next_action: part.challenge().map(|challenge| NextAction::of_challenge(challenge, urls)),
        })
    }
}
