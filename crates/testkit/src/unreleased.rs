//! A database of an unreleased version, as far as a program looks at it before it refuses it.

/// Creates the tables, on PostgreSQL and on SQLite. The versions of the migrations overlap with those of releases.
pub const SCHEMA: &str = "CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, \
     run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP); \
     INSERT INTO __diesel_schema_migrations (version) VALUES ('0001'), ('0027'), ('0048'); \
     CREATE TABLE merchants (id text PRIMARY KEY, is_live_enabled integer NOT NULL, created_at bigint NOT NULL); \
     INSERT INTO merchants VALUES ('merchant_old', 0, 0)";
