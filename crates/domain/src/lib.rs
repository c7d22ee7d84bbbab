//! The rules of a sale and of its fiscal document.
//!
//! No I/O, no async, no clock, no randomness, no serialization: time, identifiers and randomness are arguments, and
//! every failure is in the type. Other programs can embed this crate alone; see `docs/EMBEDDING.md`.

#[macro_use]
mod spelled;

pub mod account;
pub mod attempt;
pub mod backoff;
pub mod breaker;
pub mod card;
pub mod catalog;
pub mod clock;
pub mod credential;
pub mod event;
pub mod fiscal;
pub mod id;
pub mod listing;
pub mod mailing;
pub mod merchant;
pub mod money;
pub mod payment;
pub mod refund;
pub mod refusal;
pub mod rights;
pub mod sale;
pub mod split;
pub mod stored_card_deletion;
pub mod text;
pub mod webhook;

pub use card::Card;
pub use event::{Event, EventKind};
pub use fiscal::FiscalDocument;
pub use id::{
    AnnulmentId, AttemptId, CertificateId, CheckoutReference, EventId, FiscalDocumentId, MerchantAccountId, MerchantId,
    PaymentId, RefundId, RequestId, Symbols, WebhookEndpointId,
};
pub use merchant::Mode;
pub use money::{Currency, Money};
pub use payment::Payment;
pub use refund::Refund;
pub use refusal::{Code, Conflict, Family, InvalidRequest, Precondition, Refusal, Unprocessable};
pub use split::Split;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/SPLITS.md")]
struct SplitsPage;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/EMBEDDING.md")]
struct EmbeddingPage;
