use diesel::SqliteConnection;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use ports::Unavailable;

use super::Sqlite;
use crate::failure::unavailable;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

impl Sqlite {
    /// Brings the schema up to date.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or refuses a change; each change is a transaction.
    pub async fn migrate(&self) -> Result<(), Unavailable> {
        self.writer.run(|connection| connection.run_pending_migrations(MIGRATIONS).map(drop).map_err(unavailable)).await
    }

    /// Whether the schema is at least as new as this program.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub async fn is_current(&self) -> Result<bool, Unavailable> {
        let is_behind = |it: &mut SqliteConnection| it.has_pending_migration(MIGRATIONS).map_err(unavailable);
        Ok(!self.writer.run(is_behind).await?)
    }
}
