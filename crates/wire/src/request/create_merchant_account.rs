//! `POST /merchant_accounts`.

use domain::{Refusal, text::BoundedText};

use crate::{json::Json, read};

/// A wish for an account at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantAccountRequest {
    /// The provider, as sent. Whether it is offered here is for the deployment to say.
    pub provider: BoundedText<1, 64>,
    /// The merchant's own name for the venue.
    pub venue_reference: Option<BoundedText<1, 256>>,
}

/// The wish in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<MerchantAccountRequest, Refusal> {
    read::request(body, |it| {
        let provider = it.required("provider", read::line);
        let venue_reference = it.optional("venueReference", read::line);
        Some(MerchantAccountRequest { provider: provider?, venue_reference: venue_reference? })
    })
}
