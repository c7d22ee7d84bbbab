//! Readers of request bodies, one module for each operation.

mod address;
mod document;
mod endpoint_url;
mod metadata;
mod money;
mod refund_lines;
mod refund_selection;

pub mod attribute_refund;
pub mod cancel_payment;
pub mod choose_fiscal_document;
pub mod correct_credit_note;
pub mod correct_fiscal_document;
pub mod create_checkout_token;
pub mod create_merchant_account;
pub mod create_payment;
pub mod create_refund;
pub mod create_webhook_endpoint;
pub mod empty_body;
pub mod open_split;
pub mod preview_refund;
pub mod put_merchant_profile;
pub mod release_split;
pub mod replay_webhooks;
pub mod request_delivery;
pub mod rotate_webhook_secret;
pub mod set_account_credentials;
pub mod set_voluntary_tip;
pub mod submit_card;
pub mod update_webhook_endpoint;
