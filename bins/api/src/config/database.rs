use std::path::PathBuf;

use clap::Args;

use super::{file::SettingsFile, variables::DATABASE_URL};
use crate::failure::{Done, Failure};

/// Where the data is.
#[derive(Args, Debug)]
pub(crate) struct DatabaseOptions {
    /// Settings file with one NAME=value per line; flags and the environment take precedence
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The database, as in postgres://user:password@host/name
    #[arg(long, env = DATABASE_URL, value_name = "URL", hide_env_values = true)]
    database_url: Option<String>,
}

impl DatabaseOptions {
    pub(super) fn file(&self) -> Done<SettingsFile> {
        self.config.as_deref().map_or_else(|| Ok(SettingsFile::default()), SettingsFile::read)
    }

    /// The database, from the flag, the environment and the file, in this order.
    pub(crate) fn url(&self) -> Done<String> {
        let url = self.file()?.text(self.database_url.as_ref(), DATABASE_URL);
        url.ok_or_else(|| Failure::new(format!("--database-url is missing; {DATABASE_URL} may set it, too")))
    }
}
