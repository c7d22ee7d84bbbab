//! Stores of the server.

use std::{env, fs, path::PathBuf};

use storage::{Postgres, Sqlite};
use tempfile::TempDir;
use testkit::contract::Stores;

use super::{TableReader, database::Database};

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

/// Owner of the files or database of the stores.
pub(crate) enum Home {
    Folder(TempDir),
    Database { _dropped_at_the_end: Database },
}

impl Backend {
    /// Returns SQLite, and PostgreSQL if `TEST_DATABASE_URL` is set.
    pub(crate) fn all() -> Vec<Self> {
        let postgres = env::var_os("TEST_DATABASE_URL").map(|_| Self::Postgres);
        [Self::Sqlite].into_iter().chain(postgres).collect()
    }

    /// Empty stores.
    pub(crate) async fn open(self) -> (Stores, Home) {
        match self {
            Self::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                let store = Sqlite::open(folder.path().join("cobro.db")).await.unwrap();
                store.migrate().await.unwrap();
                (Stores::of(store), Home::Folder(folder))
            }
            Self::Postgres => {
                let database = Database::fresh().await;
                let store = Postgres::connect(&database.url()).await.unwrap();
                (Stores::of(store), Home::Database { _dropped_at_the_end: database })
            }
        }
    }
}

impl Home {
    /// Opens a connection that reads all rows beside the server.
    pub(crate) async fn table_reader(&self) -> TableReader {
        match self {
            Self::Folder(folder) => TableReader::at_sqlite(&folder.path().join("cobro.db")),
            Self::Database { _dropped_at_the_end: database } => {
                TableReader::at_postgres(&database.superusers_url()).await
            }
        }
    }

    /// Returns the PostgreSQL database, if the store has one.
    pub(crate) fn database(&self) -> Option<&Database> {
        match self {
            Self::Folder(_) => None,
            Self::Database { _dropped_at_the_end: database } => Some(database),
        }
    }

    /// Returns the address of the PostgreSQL database; empty for a file.
    pub(crate) fn address(&self) -> String {
        match self {
            Self::Folder(_) => String::new(),
            Self::Database { _dropped_at_the_end: database } => database.url(),
        }
    }

    /// Returns the files of a SQLite store.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Folder(folder) => fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path()).collect(),
            Self::Database { .. } => Vec::new(),
        }
    }
}
