//! Options that name the merchant and the mode of a command.

use clap::Args;
use domain::{MerchantId, Mode};

use super::{DatabaseOptions, OperatorOptions};

/// Merchant and mode of a set-up command.
#[derive(Args, Debug)]
pub(crate) struct TenantOptions {
    #[command(flatten)]
    pub(crate) operator: OperatorOptions,
    /// Merchant identifier
    #[arg(long, value_name = "ID", value_parser = merchant)]
    pub(crate) merchant: MerchantId,
    /// test or live
    #[arg(long, value_parser = mode)]
    pub(crate) mode: Mode,
}

/// Merchant and modes of a list command.
#[derive(Args, Debug)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    pub(crate) database: DatabaseOptions,
    /// Merchant identifier
    #[arg(long, value_name = "ID", value_parser = merchant)]
    pub(crate) merchant: MerchantId,
    /// test or live; both unless set
    #[arg(long, value_parser = mode)]
    pub(crate) mode: Option<Mode>,
}

/// Merchant of an object that is named by its identifier. All merchants are searched unless one is set.
#[derive(Args, Debug)]
pub(crate) struct OwnerOptions {
    /// Merchant identifier; all merchants are searched unless set
    #[arg(long, value_name = "ID", value_parser = merchant)]
    pub(crate) merchant: Option<MerchantId>,
    /// test or live; both unless set
    #[arg(long, value_parser = mode)]
    pub(crate) mode: Option<Mode>,
}

pub(super) fn merchant(text: &str) -> Result<MerchantId, &'static str> {
    MerchantId::parse(text).ok_or("merchant_ and its symbols are expected")
}

pub(super) fn mode(text: &str) -> Result<Mode, &'static str> {
    Mode::from_code(text).ok_or("test or live is expected")
}
