//! The public JSON, and nothing but the JSON.
//!
//! A body is read in two steps: [`json::read`] turns bytes into one strict tree, and the `parse` of an operation turns
//! the tree into what the domain understands, or into a refusal that names the field. Answers mirror the interface
//! document field by field. No other crate writes JSON for the public.

pub mod json;
pub mod openapi;
pub mod query;

mod param;
mod read;
mod request;
mod response;

pub use json::{Json, canonical};
pub use request::{
    cancel_payment, capture_split, choose_fiscal_document, correct_fiscal_document, create_checkout_token,
    create_merchant_account, create_payment, create_webhook_endpoint, open_split, put_merchant_profile, release_split,
    renew_split, replay_webhooks, request_delivery, rotate_webhook_secret, set_account_credentials, set_voluntary_tip,
    submit_card, test_webhook_endpoint, update_webhook_endpoint,
};
pub use response::{
    CheckoutPaymentResponse, CheckoutTokenResponse, DeletedEndpointResponse, DocumentEmailResponse, ErrorResponse,
    EventPayload, FiscalDocumentResponse, ListResponse, MerchantAccountResponse, MerchantProfileResponse,
    PaymentPartResponse, PaymentResponse, PaymentSplitResponse, PublicUrls, ReceiptDocumentResponse, Timestamp,
    WebhookDeliveryRecord, WebhookDeliveryResponse, WebhookEndpointResponse, WebhookReplayResponse, to_bytes,
};
