//! Merchants: profile, accounts at providers, and readiness to sell.

pub(crate) mod accounts;
pub(crate) mod credentials;
mod get_account;
mod probe;
mod profile;
pub(crate) mod readiness;
mod setup_change;

pub use accounts::{CreateAccount, SetCredentials, create_merchant_account, set_account_credentials};
pub use get_account::get_merchant_account;
pub use probe::probe_accounts;
pub use profile::{get_merchant_profile, put_merchant_profile};
pub use readiness::announce_readiness;
pub(crate) use setup_change::change_setup;
