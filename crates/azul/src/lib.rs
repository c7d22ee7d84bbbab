//! AZUL, the Dominican acquirer, as a [`ports::CardProvider`].
//!
//! It speaks AZUL's JSON web services over mutual TLS. No financial call is ever made twice: there
//! are no retries and no redirects, and the second host is tried only where the first was provably
//! never reached. What every answer and every silence means is one pure function (`classify`) over
//! one table of codes (`codes`).
//!
//! Purchases go through 3-D Secure where the account has it and the payer's browser is there; else they ask to go without.

mod account;
mod amount;
mod answer;
mod classify;
mod codes;
mod connection;
mod credentials;
mod line;
mod listing;
mod port;
mod probe;
mod reading;
mod record;
mod request;
mod secure;
mod stored;

pub use account::{AccountUnavailable, AzulAccount, AzulAccounts};
pub use connection::{AzulConnection, Hosts};
pub use port::Azul;
pub use request::{attempt_endings, order_number};
pub use stored::StoredAccounts;
