//! One file per operation. A handler parses, calls one use case, renders.

pub(crate) mod cancel_payment;
pub(crate) mod choose_fiscal_document;
pub(crate) mod correct_fiscal_document;
pub(crate) mod create_checkout_token;
pub(crate) mod create_merchant_account;
pub(crate) mod create_payment;
pub(crate) mod create_webhook_endpoint;
pub(crate) mod docs;
pub(crate) mod get_event;
pub(crate) mod get_fiscal_document;
pub(crate) mod get_merchant_account;
pub(crate) mod get_merchant_profile;
pub(crate) mod get_payment;
pub(crate) mod get_signed_document;
pub(crate) mod health;
pub(crate) mod list_events;
pub(crate) mod list_payments;
pub(crate) mod metrics;
pub(crate) mod openapi;
pub(crate) mod put_merchant_profile;
pub(crate) mod request_delivery;
pub(crate) mod set_account_credentials;
pub(crate) mod set_voluntary_tip;
pub(crate) mod submit_card;
