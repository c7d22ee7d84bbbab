use domain::{
    PaymentId,
    sale::Sale,
    split::{Organizer, Split},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    split::MerchantSplit,
    value::{Coded, Id, PaymentSplitObject, Timestamp},
};

/// Split of a payment, as a resource of its own.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentSplit")]
pub struct PaymentSplitResponse<'a> {
    /// Type of the object.
    object: PaymentSplitObject,
    /// Payment that is split.
    payment_id: Id<'a, PaymentId>,
    #[serde(flatten)]
    split: MerchantSplit<'a>,
    /// When the split expires unless every part is paid.
    expires_at: Timestamp,
    /// Number of renewals.
    #[schemars(range(max = Split::MAX_RENEWALS))]
    renewal_count: u8,
    /// Party that opened and commands the split.
    organizer: Coded<Organizer>,
}

impl<'a> PaymentSplitResponse<'a> {
    /// Returns the split of `sale`. `None` if the payment is not split.
    pub fn of(sale: &'a Sale) -> Option<Self> {
        let split = sale.payment.split()?;
        Some(Self {
            object: PaymentSplitObject,
            payment_id: (&sale.payment.facts.id).into(),
            split: split.into(),
            expires_at: split.expires_at().into(),
            renewal_count: split.state().renewals,
            organizer: split.state().organizer.into(),
        })
    }
}
