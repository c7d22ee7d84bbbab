mod breakdown;
mod checkout_display;
mod checkout_token;
mod delivery;
mod event;
mod fiscal_document;
mod fiscal_line;
mod fiscal_status;
mod list;
mod merchant_account;
mod merchant_profile;
mod money;
mod payment;
mod payment_part;
mod payment_split;
mod payment_status;
mod problem;
mod split;
mod timestamp;
mod webhook_delivery;
mod webhook_endpoint;
mod webhook_replay;

pub use breakdown::Breakdown;
pub use checkout_display::CheckoutDisplay;
pub use checkout_token::CheckoutToken;
pub use delivery::Delivery;
pub use event::Event;
pub use fiscal_document::{FiscalDocument, ReceiptDocument};
pub use list::List;
pub use merchant_account::MerchantAccount;
pub use merchant_profile::MerchantProfile;
pub use money::Money;
pub use payment::{CheckoutPayment, Payment};
pub use payment_part::PaymentPart;
pub use payment_split::PaymentSplit;
pub use problem::{ErrorBody, Problem};
pub use timestamp::Timestamp;
pub use webhook_delivery::{ToldDelivery, WebhookDelivery};
pub use webhook_endpoint::{DeletedEndpoint, WebhookEndpoint};
pub use webhook_replay::WebhookReplay;

use serde::Serialize;

/// Where the pages are that answers point to. Addresses without a slash at their end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Of the checkout.
    pub checkout_base_url: String,
    /// Of the documentation.
    pub docs_url: String,
}

impl Site {
    /// What the address of a page begins with that brings a payer's browser to the issuer; the secret of the attempt follows.
    pub fn challenges(&self) -> String {
        format!("{}/c/", self.checkout_base_url)
    }
}

/// The bytes of an answer's body.
pub fn to_bytes(answer: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(answer).expect("memory takes every byte, and every key of an answer is text")
}
