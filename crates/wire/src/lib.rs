//! The public JSON of the API.
//!
//! A request is parsed in two steps: [`json::read`] turns bytes into one strict tree, and the `parse` function of an
//! operation turns the tree into a type of the domain, or into a refusal that names the field. Responses mirror the
//! interface document field by field. No other crate writes public JSON.

pub mod json;
pub mod openapi;
pub mod query;

mod code;
mod param;
mod read;
mod request;
mod response;
mod schema;

pub use json::{Json, canonical};
pub use request::{
    attribute_refund, cancel_payment, choose_fiscal_document, correct_credit_note, correct_fiscal_document,
    create_checkout_token, create_merchant_account, create_payment, create_refund, create_webhook_endpoint, empty_body,
    open_split, preview_refund, put_merchant_profile, release_split, replay_webhooks, request_delivery,
    rotate_webhook_secret, set_account_credentials, set_voluntary_tip, submit_card, update_webhook_endpoint,
};
pub use response::{
    CheckoutPaymentResponse, CheckoutTokenResponse, DeletedEndpointResponse, DocumentEmailResponse, ErrorResponse,
    EventPayload, FiscalDocumentResponse, ListResponse, MerchantAccountResponse, MerchantProfileResponse,
    MerchantRefundResponse, PaymentPartResponse, PaymentResponse, PaymentSplitResponse, PublicUrls,
    ReceiptDocumentResponse, RefundPreviewResponse, Timestamp, WebhookDeliveryResponse, WebhookEndpointResponse,
    WebhookReplayResponse, to_bytes,
};
