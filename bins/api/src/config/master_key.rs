use std::{
    env,
    path::{Path, PathBuf},
};

use vault::Vault;
use zeroize::Zeroizing;

use crate::failure::{Context, Done, Failure};

/// Never a flag, and never in the file of settings: others may read those.
const MASTER_KEY: &str = "COBRO_MASTER_KEY";

/// Source of the master key.
pub(crate) enum MasterKeySource {
    File(PathBuf),
    /// Key from the environment.
    Text(Zeroizing<String>),
}

impl MasterKeySource {
    /// Returns the file if set, else the key from the environment.
    pub(crate) fn settle(file: Option<&Path>) -> Done<Self> {
        let text = env::var(MASTER_KEY).ok().filter(|it| !it.is_empty()).map(Zeroizing::new);
        match (file, text) {
            (Some(_), Some(_)) => {
                Err(Failure::new(format!("a file of the master key and {MASTER_KEY} are one too many")))
            }
            (Some(file), None) => Ok(Self::File(file.to_owned())),
            (None, Some(text)) => Ok(Self::Text(text)),
            (None, None) => Err(Failure::new(format!(
                "--master-key-file is missing; COBRO_MASTER_KEY_FILE may set it, and {MASTER_KEY} hold the key itself"
            ))),
        }
    }

    /// Opens the vault with this key.
    pub(crate) fn vault(&self) -> Done<Vault> {
        match self {
            Self::File(file) => Vault::from_file(file).or_fail(format!("{} cannot be used", file.display())),
            Self::Text(text) => Vault::from_text(text).or_fail(format!("{MASTER_KEY} cannot be used")),
        }
    }
}

impl std::fmt::Debug for MasterKeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::File(_) => "MasterKeySource::File",
            Self::Text(_) => "MasterKeySource::Text",
        })
    }
}
