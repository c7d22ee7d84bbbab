//! The public JSON, and nothing but the JSON.
//!
//! A body is read in two steps: [`json::read`] turns bytes into one strict tree, and the `parse` of an operation turns
//! the tree into what the domain understands, or into a refusal that names the field. Answers mirror the interface
//! document field by field. No other crate writes JSON for the public.

pub mod json;

mod answer;
mod param;
mod read;
mod request;

pub use answer::{
    Breakdown, CheckoutDisplay, CheckoutPayment, CheckoutToken, Delivery, ErrorBody, FiscalDocument, MerchantAccount,
    Money, Payment, Problem, ReceiptDocument, Site, Timestamp, to_bytes,
};
pub use json::{Json, canonical};
pub use request::{
    choose_fiscal_document, correct_fiscal_document, create_checkout_token, create_payment, request_delivery,
    submit_card,
};
