//! The role under which tests use PostgreSQL. A superuser is above row security, and the server of
//! the tests gives us one: so there is another, which is held to it as in production.

/// The role's password: a word that may stand nowhere else.
pub const PASSWORD: &str = "let-nobody-print-this";

/// Makes the role, unless it is there.
pub const CREATE_ROLE: &str = "DO $$ BEGIN
    CREATE ROLE cobro_held LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD 'let-nobody-print-this';
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$";

/// What to add when a database is created: its owner is the role.
pub const OWNER_CLAUSE: &str = "OWNER cobro_held";

/// The address of the database `name` for the role, on the server of the superuser's address `base`.
///
/// # Panics
///
/// If `base` does not end in the name of a database.
pub fn url(base: &str, name: &str) -> String {
    let (server, _) = base.rsplit_once('/').expect("the address ends in the name of a database");
    let server = server.rsplit_once('@').or(server.split_once("//")).map_or(server, |(_, it)| it);
    format!("postgres://cobro_held:{PASSWORD}@{server}/{name}")
}
