//! Payments: their creation, the card of the payer, and the outcome of calls to the provider.

mod attempt;
mod cancel;
mod create;
mod get;
mod issuer_return;
mod list;
mod orphan;
pub(crate) mod outcome;
pub(crate) mod provider_call;
pub(crate) mod resume;
mod settle;
pub(crate) mod stored_cards;
mod submit_card;
mod voluntary_tip;

pub(crate) use attempt::open_attempt;
pub use cancel::cancel_payment;
pub use create::{CreatePayment, create_payment};
pub use get::get_payment;
pub use issuer_return::{ChallengedSale, IssuerReturn, get_challenge, return_from_issuer};
pub use list::list_payments;
pub use settle::settle_payment;
pub use stored_cards::delete_unused_cards;
pub use submit_card::{SubmitCard, submit_card};
pub use voluntary_tip::set_voluntary_tip;
