use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{Database, Output, cobro};

/// Command line of an operator, with a database and a master key.
pub(crate) struct Cli {
    folder: TempDir,
    pub(crate) database: Database,
}

impl Cli {
    pub(crate) async fn open(test: &str) -> Self {
        let cli = Self { folder: TempDir::new().unwrap(), database: Database::empty(test).await };
        fs::write(cli.key_file(), "00112233445566778899aabbccddeeff".repeat(2)).unwrap();
        fs::set_permissions(cli.key_file(), fs::Permissions::from_mode(0o600)).unwrap();
        cli
    }

    pub(crate) fn key_file(&self) -> PathBuf {
        self.folder.path().join("master.key")
    }

    /// Runs a command with the key file.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let key_file = self.key_file();
        let variables = [
            ("COBRO_DATABASE_URL", self.database.url.as_str()),
            ("COBRO_MASTER_KEY_FILE", key_file.to_str().unwrap()),
            ("COBRO_CERTIFICATE_PASSWORD", "from the environment"),
            ("RUST_LOG", "warn"),
        ];
        cobro(arguments, &variables)
    }

    /// Runs a command with the key in the environment instead of the file.
    pub(crate) fn run_with_key(&self, arguments: &[&str], key: &str) -> Output {
        let variables = [("COBRO_DATABASE_URL", self.database.url.as_str()), ("COBRO_MASTER_KEY", key)];
        cobro(arguments, &variables)
    }

    /// Runs a command without a master key.
    pub(crate) fn run_without_key(&self, arguments: &[&str]) -> Output {
        cobro(arguments, &[("COBRO_DATABASE_URL", self.database.url.as_str())])
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// Creates a merchant, and returns the identifier.
    pub(crate) fn merchant(&self) -> String {
        let names = ["--legal-name", "Colmado Prueba, S.R.L.", "--rnc", "130000001", "--display-name", "Prueba"];
        let contact = ["--support-phone", "809-555-0100", "--address", "Calle 1", "--city", "Santiago"];
        let options = ["--statement-descriptor", "PRUEBA", "--propina", "--split"];
        self.run(&[&["merchant", "create"], &names[..], &contact[..], &options[..]].concat()).text("merchantId")
    }
}
