mod address;
mod document;

pub mod choose_fiscal_document;
pub mod correct_fiscal_document;
pub mod create_checkout_token;
pub mod create_payment;
pub mod request_delivery;
pub mod submit_card;
