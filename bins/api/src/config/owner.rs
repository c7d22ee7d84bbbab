//! Options that operator commands share.

use std::path::PathBuf;

use clap::Args;
use domain::{MerchantId, Mode, catalog::Catalog};

use super::{
    catalog,
    database::DatabaseOptions,
    master_key::MasterKeySource,
    values::{merchant, mode},
    variables::{CATALOG, MASTER_KEY_FILE},
};
use crate::failure::Done;

/// Options of every operator command.
#[derive(Args, Debug)]
pub(crate) struct OperatorOptions {
    #[command(flatten)]
    pub(crate) database: DatabaseOptions,
    /// File of the master key with mode 0600. COBRO_MASTER_KEY may contain the key instead
    #[arg(long, env = MASTER_KEY_FILE, value_name = "FILE", hide_env_values = true)]
    master_key_file: Option<PathBuf>,
    /// File with the names of brands, programs and wallets. Default: the built-in names
    #[arg(long, env = CATALOG, value_name = "FILE", hide_env_values = true)]
    catalog: Option<PathBuf>,
}

impl OperatorOptions {
    pub(crate) fn catalog(&self) -> Done<Catalog> {
        catalog::read(self.database.file()?.path(self.catalog.as_ref(), CATALOG))
    }

    pub(crate) fn master_key(&self) -> Done<MasterKeySource> {
        MasterKeySource::settle(self.database.file()?.path(self.master_key_file.as_ref(), MASTER_KEY_FILE))
    }
}

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
    /// test or live. Default: both
    #[arg(long, value_parser = mode)]
    pub(crate) mode: Option<Mode>,
}

/// Merchant and mode of an object. Default: all merchants and both modes.
#[derive(Args, Debug)]
pub(crate) struct OwnerOptions {
    /// Merchant identifier. Default: all merchants
    #[arg(long, value_name = "ID", value_parser = merchant)]
    pub(crate) merchant: Option<MerchantId>,
    /// test or live. Default: both
    #[arg(long, value_parser = mode)]
    pub(crate) mode: Option<Mode>,
}
