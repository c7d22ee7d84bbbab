use ports::Unavailable;

/// Why the schema of a database cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The PostgreSQL database has the schema of an unreleased version, which has no way to this one.
    #[error(
        "the database was created by an unreleased version of Cobro, and its data cannot be migrated: create a new, \
         empty database and run `cobro migrate` on it"
    )]
    UnreleasedDatabase,
    /// The SQLite file has the schema of an unreleased version, which has no way to this one.
    #[error(
        "the data directory was created by an unreleased version of Cobro, and its data cannot be migrated: use a new, \
         empty directory"
    )]
    UnreleasedFile,
    /// The database does not respond, or refuses a statement.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Condition of the schema of an unreleased version, for the list of the tables of a database.
///
/// The migrations of unreleased versions were numbered from 0001, as those of this program are. So the numbers alone do
/// not distinguish an unreleased schema from one of a newer release. The tables do: every schema of a release has
/// `stored_cards`, and no unreleased schema had.
pub(crate) fn is_unreleased<'a>(tables: impl IntoIterator<Item = &'a str>) -> bool {
    let (mut is_migrated, mut has_merchants, mut has_stored_cards) = (false, false, false);
    for table in tables {
        is_migrated |= table == "__diesel_schema_migrations";
        has_merchants |= table == "merchants";
        has_stored_cards |= table == "stored_cards";
    }
    is_migrated && has_merchants && !has_stored_cards
}
