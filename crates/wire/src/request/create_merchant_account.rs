//! `POST /merchant_accounts`.

use domain::{Refusal, text::BoundedText};

use crate::{
    json::Json,
    read::{self, Object, read_fields},
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
    read_fields!(body => MerchantAccountRequest {
        provider: required("provider", PROVIDER, read::line),
        /// The merchant's own name for the point of sale.
        venue_reference: optional("venueReference", read::line),
    })
}
