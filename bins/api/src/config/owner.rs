//! Whose things a command is about.

use clap::Args;
use domain::{MerchantId, Mode};

use super::{DatabaseOptions, OperatorOptions};

/// Whose set-up is meant, and for which mode.
#[derive(Args, Debug)]
pub(crate) struct TenantOptions {
    #[command(flatten)]
    pub(crate) operator: OperatorOptions,
    /// The merchant
    #[arg(long, value_name = "ID", value_parser = merchant)]
    pub(crate) merchant: MerchantId,
    /// test or live
    #[arg(long, value_parser = mode)]
    pub(crate) mode: Mode,
}

/// Whose things are listed.
#[derive(Args, Debug)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    pub(crate) database: DatabaseOptions,
    /// The merchant
    #[arg(long, value_name = "ID", value_parser = merchant)]
    pub(crate) merchant: MerchantId,
    /// test or live; both unless set
    #[arg(long, value_parser = mode)]
    pub(crate) mode: Option<Mode>,
}

/// The owner of a thing that is named by its identifier. All merchants are searched unless one is set.
#[derive(Args, Debug)]
pub(crate) struct OwnerOptions {
    /// Its merchant; all of them unless set
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
