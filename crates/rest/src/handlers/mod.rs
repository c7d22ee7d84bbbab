//! One file per operation. A handler parses, calls one use case, renders.

pub(crate) mod create_checkout_token;
pub(crate) mod create_payment;
pub(crate) mod get_fiscal_document;
pub(crate) mod get_merchant_account;
pub(crate) mod get_payment;
pub(crate) mod get_signed_document;
pub(crate) mod health;
pub(crate) mod submit_card;
