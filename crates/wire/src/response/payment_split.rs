use domain::sale::Sale;
use serde::Serialize;

use super::{Timestamp, split::MerchantSplit};

/// The split of a payment, as a resource of its own.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentSplitResponse<'a> {
    object: &'static str,
    payment_id: &'a str,
    #[serde(flatten)]
    split: MerchantSplit<'a>,
    expires_at: Timestamp,
    renewal_count: u8,
    organizer: &'static str,
}

impl<'a> PaymentSplitResponse<'a> {
    /// The split of `sale`, if it is shared.
    pub fn of(sale: &'a Sale) -> Option<Self> {
        let split = sale.payment.split()?;
        Some(Self {
            object: "payment_split",
            payment_id: sale.payment.facts.id.as_str(),
            split: split.into(),
            expires_at: split.expires_at().into(),
            renewal_count: split.state().renewals,
            organizer: split.state().organizer.as_str(),
        })
    }
}
