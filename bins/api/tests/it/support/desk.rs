use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{Database, Output, cobro};

/// Database, master key, and commands that use both.
pub(crate) struct Desk {
    folder: TempDir,
    pub(crate) database: Database,
}

impl Desk {
    pub(crate) async fn open(test: &str) -> Self {
        let desk = Self { folder: TempDir::new().unwrap(), database: Database::empty(test).await };
        fs::write(desk.key_file(), "00112233445566778899aabbccddeeff".repeat(2)).unwrap();
        fs::set_permissions(desk.key_file(), fs::Permissions::from_mode(0o600)).unwrap();
        desk
    }

    pub(crate) fn key_file(&self) -> PathBuf {
        self.folder.path().join("master.key")
    }

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

    /// The same with a key in the environment, in place of the file.
    pub(crate) fn run_with_key(&self, arguments: &[&str], key: &str) -> Output {
        let variables = [("COBRO_DATABASE_URL", self.database.url.as_str()), ("COBRO_MASTER_KEY", key)];
        cobro(arguments, &variables)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn merchant(&self) -> String {
        let described = ["--legal-name", "Colmado Prueba, S.R.L.", "--rnc", "130000001", "--display-name", "Prueba"];
        let reached = ["--support-phone", "809-555-0100", "--address", "Calle 1", "--city", "Santiago"];
        let further = ["--statement-descriptor", "PRUEBA", "--propina", "--split"];
        self.run(&[&["merchant", "create"], &described[..], &reached[..], &further[..]].concat()).text("merchantId")
    }
}
