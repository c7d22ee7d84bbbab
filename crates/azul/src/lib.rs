//! AZUL, the Dominican acquirer, as a [`ports::CardProvider`].
//!
//! The adapter calls AZUL's JSON web services over mutual TLS. A request that moves money is never sent twice: there
//! are no retries and no redirects, and the second host is tried only if no connection to the first was made. One pure
//! function (`classify`) with one table of codes (`codes`) decides the meaning of each response and of each missing
//! response.
//!
//! Purchases use 3-D Secure if the account has it and the payer's browser is present. Otherwise they request an
//! exemption.

mod account;
mod adapter;
mod amount;
mod classify;
mod codes;
mod connection;
mod credentials;
mod http_client;
mod look_up;
mod outcome;
mod port;
mod probe;
mod record;
mod refund_refusal;
mod refunds;
mod request;
mod response;
mod stored_accounts;
mod texts;
mod three_ds;
mod transaction_list;
mod transactions;
mod verdict;

pub use account::{AccountUnavailable, AzulAccount, AzulAccounts};
pub use adapter::Azul;
pub use connection::{AzulConnection, Hosts};
pub use request::{attempt_endings, order_number};
pub use stored_accounts::StoredAccounts;
