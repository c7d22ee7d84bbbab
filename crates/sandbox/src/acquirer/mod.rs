//! A card acquirer without deduplication: a repeated charge is charged twice.

mod cards;
mod iso;
mod issuer;
mod ledger;
mod opening;
mod orders;
mod other_sales;
mod port;
mod record;
mod refund_port;
mod refund_scenario;
mod refunds;
mod scenario;
mod simulated;
mod three_ds;
mod transaction;
mod view;
mod web;

pub use issuer::{issuer_page, issuer_result};
pub use refund_port::PortalRefusal;
pub use simulated::Acquirer;
pub use view::TransactionView;
pub use web::{AcquirerListenError, AcquirerProfile, AcquirerService, AcquirerTls, LookupFormat, TlsConfigError};
