//! `POST /merchant_accounts`.

use domain::{Refusal, text::BoundedText};

use crate::{
    json::Json,
    read::{self, Object},
};

/// Request for an account at a payment provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantAccountRequest {
    /// Code of the provider, as sent. The use case checks whether this deployment offers the provider.
    pub provider: BoundedText<1, 64>,
    /// The merchant's own name for the point of sale.
    pub venue_reference: Option<BoundedText<1, 256>>,
}

/// Parses the request.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<MerchantAccountRequest, Refusal> {
    read::request(body, fields)
}

/// Description of the field `provider`.
pub(super) const PROVIDER: &str = "Code of a payment provider that this deployment offers in the mode of the key.";

pub(crate) fn fields(body: &mut Object<'_>) -> Option<MerchantAccountRequest> {
    let provider = body.required("provider", PROVIDER, read::line);
    let venue_reference = body.optional("venueReference", "The merchant's own name for the point of sale.", read::line);
    Some(MerchantAccountRequest { provider: provider?, venue_reference: venue_reference? })
}
