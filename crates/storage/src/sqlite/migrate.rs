use diesel::{SqliteConnection, prelude::*, sql_query, sql_types::Text};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use super::Sqlite;
use crate::{
    failure::unavailable,
    migration::{SchemaError, is_unreleased},
};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
}

impl Sqlite {
    /// Brings the schema up to date.
    ///
    /// # Errors
    ///
    /// If an unreleased version created the file, or the file cannot be written, or refuses a change; each change is a
    /// transaction.
    pub async fn migrate(&self) -> Result<(), SchemaError> {
        let migrate = |connection: &mut SqliteConnection| -> Result<(), SchemaError> {
            refuse_unreleased(connection)?;
            connection.run_pending_migrations(MIGRATIONS).map(drop).map_err(|error| unavailable(error).into())
        };
        self.writer.run(migrate).await
    }

    /// Returns whether the schema is at least as new as this program.
    ///
    /// # Errors
    ///
    /// If an unreleased version created the file, or the file cannot be read.
    pub async fn is_current(&self) -> Result<bool, SchemaError> {
        let is_behind = |connection: &mut SqliteConnection| -> Result<bool, SchemaError> {
            refuse_unreleased(connection)?;
            connection.has_pending_migration(MIGRATIONS).map_err(|error| unavailable(error).into())
        };
        Ok(!self.writer.run(is_behind).await?)
    }
}

fn refuse_unreleased(connection: &mut SqliteConnection) -> Result<(), SchemaError> {
    let tables = sql_query("SELECT name FROM sqlite_master WHERE type = 'table'");
    let tables: Vec<Table> = tables.load(connection).map_err(unavailable)?;
    if is_unreleased(tables.iter().map(|table| table.name.as_str())) {
        Err(SchemaError::UnreleasedFile)
    } else {
        Ok(())
    }
}
