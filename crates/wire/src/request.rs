mod address;
mod document;
mod endpoint_address;
mod money;

pub mod cancel_payment;
pub mod choose_fiscal_document;
pub mod correct_fiscal_document;
pub mod create_checkout_token;
pub mod create_merchant_account;
pub mod create_payment;
pub mod create_webhook_endpoint;
pub mod put_merchant_profile;
pub mod request_delivery;
pub mod set_account_credentials;
pub mod set_voluntary_tip;
pub mod submit_card;
