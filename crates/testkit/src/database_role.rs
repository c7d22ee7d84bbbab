//! PostgreSQL role of the tests. Superusers bypass row security, and the test server provides one: this role is subject
//! to row security, as in production.

/// Password of the role: a unique text, for searches in logs.
pub const PASSWORD: &str = "secret-never-printed";

/// Creates the role, if missing.
pub const CREATE_ROLE: &str = "DO $$ BEGIN
    CREATE ROLE cobro_held LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD 'secret-never-printed';
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$";

/// Suffix of `CREATE DATABASE` that makes the role the owner.
pub const OWNER_CLAUSE: &str = "OWNER cobro_held";

/// Address of the database `name` for the role, on the server of the superuser's address `base`.
///
/// # Panics
///
/// If `base` does not end in the name of a database.
pub fn url(base: &str, name: &str) -> String {
    let (server, _) = base.rsplit_once('/').expect("the address ends in the name of a database");
    let server = server.rsplit_once('@').or(server.split_once("//")).map_or(server, |(_, it)| it);
    format!("postgres://cobro_held:{PASSWORD}@{server}/{name}")
}
