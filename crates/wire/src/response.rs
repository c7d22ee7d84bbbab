//! Bodies of responses. Each type derives its serialization and its schema, and its documentation is the description.

mod breakdown;
mod checkout_display;
mod checkout_refund;
mod checkout_token;
mod document_email;
mod event;
mod fiscal_document;
mod fiscal_line;
mod fiscal_status;
mod list;
mod merchant_account;
mod merchant_profile;
mod metadata;
mod modifies;
mod money;
mod payment;
mod payment_part;
mod payment_split;
mod payment_status;
mod problem;
mod refund;
mod refund_leg;
mod refund_line;
mod refund_preview;
mod refund_summary;
mod split;
mod value;
mod webhook_delivery;
mod webhook_endpoint;
mod webhook_replay;

pub use checkout_token::CheckoutTokenResponse;
pub use document_email::DocumentEmailResponse;
pub use event::EventPayload;
pub use fiscal_document::{FiscalDocumentResponse, ReceiptDocumentResponse};
pub use list::ListResponse;
pub use merchant_account::MerchantAccountResponse;
pub use merchant_profile::MerchantProfileResponse;
pub use payment::{CheckoutPaymentResponse, PaymentResponse};
pub use payment_part::PaymentPartResponse;
pub use payment_split::PaymentSplitResponse;
pub use problem::ErrorResponse;
pub use refund::MerchantRefundResponse;
pub use refund_preview::RefundPreviewResponse;
pub use value::Timestamp;
pub use webhook_delivery::WebhookDeliveryResponse;
pub use webhook_endpoint::{DeletedEndpointResponse, WebhookEndpointResponse};
pub use webhook_replay::WebhookReplayResponse;

pub(crate) use problem::Problem;

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;

use crate::schema;
use breakdown::Breakdown;
use checkout_display::CheckoutDisplay;
use money::Money;

/// Base URLs of the pages that responses link to, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrls {
    /// Base URL of the hosted checkout.
    pub checkout_base_url: String,
    /// Base URL of the documentation.
    pub docs_url: String,
}

impl PublicUrls {
    /// Returns the URL prefix of 3-D Secure challenges. The secret of the attempt follows.
    pub fn challenge_base(&self) -> String {
        format!("{}/c/", self.checkout_base_url)
    }
}

/// Serializes the body of a response.
pub fn to_bytes(response: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(response).expect("a response serializes into memory and has only string keys")
}

/// Schema of a kind of e-CF.
fn document_kind(_: &mut SchemaGenerator) -> Schema {
    schema::reference("FiscalDocumentKind").try_into().expect("a schema is an object")
}
