use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command},
};

use crate::{
    chore::{Done, root},
    needs,
    postgres::Server,
    steps::output,
};

/// A role that is held to row security, as in production.
const ROLE: &str = "cobro_bench";

/// The database that is measured.
pub(crate) struct Tables {
    port: u16,
    database: String,
}

/// After everything that is measured: the year 2100, in milliseconds.
const NEVER: i64 = 4_102_444_800_000;

/// Inputs of `create.sql`, with the query that reads each from the first sale.
const VALUES: &[(&str, &str)] = &[
    ("merchant", "SELECT merchant FROM payments"),
    ("account", "SELECT account FROM payments"),
    ("details", "SELECT details FROM payments"),
    ("issuer", "SELECT issuer FROM fiscal_documents"),
    ("terms", "SELECT terms FROM fiscal_documents"),
    ("content", "SELECT content FROM fiscal_documents"),
    ("delivery", "SELECT delivery FROM fiscal_documents"),
    ("snapshot", "SELECT snapshot FROM events WHERE sequence = 1"),
    ("body", "SELECT '\\x' || encode(sealed_body, 'hex') FROM idempotency_keys WHERE payment = '' AND status = 201"),
];

impl Tables {
    /// An empty database.
    pub(crate) fn make(server: &Server) -> Done<Self> {
        let tables = Self { port: server.port(), database: ROLE.to_owned() };
        run(server, &format!("CREATE ROLE {ROLE} LOGIN"))?;
        run(server, &format!("CREATE DATABASE {ROLE} OWNER {ROLE}"))?;
        run(server, "CREATE EXTENSION pg_stat_statements")?;
        Ok(tables)
    }

    /// A further empty database, whose statements are counted.
    pub(crate) fn another(&self, server: &Server, name: &str) -> Done<Self> {
        run(server, &format!("CREATE DATABASE {name} OWNER {ROLE}"))?;
        run(server, &format!("ALTER DATABASE {name} SET pg_stat_statements.track = 'top'"))?;
        Ok(Self { port: self.port, database: name.to_owned() })
    }

    /// Removes the database.
    pub(crate) fn drop(self, server: &Server) -> Done {
        run(server, &format!("DROP DATABASE {} WITH (FORCE)", self.database)).map(drop)
    }

    /// URL for the server.
    pub(crate) fn url(&self) -> String {
        format!("postgres://{ROLE}@127.0.0.1:{}/{}", self.port, self.database)
    }

    /// Number of statements of the database so far.
    pub(crate) fn count_statements(&self, server: &Server) -> Done<u64> {
        let count = "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements JOIN pg_database ON oid = dbid";
        Ok(run(server, &format!("{count} WHERE datname = '{}'", self.database))?.trim().parse()?)
    }

    /// Rows written so far. A connection counts its rows at the latest when it ends.
    pub(crate) fn count_written(&self) -> Done<u64> {
        let count = "SELECT tup_inserted + tup_updated + tup_deleted FROM pg_stat_database";
        Ok(self.ask(&format!("{count} WHERE datname = current_database()"))?.parse()?)
    }

    /// Size of the database.
    pub(crate) fn count_bytes(&self) -> Done<u64> {
        Ok(self.ask("SELECT pg_database_size(current_database())")?.parse()?)
    }

    /// Clones the existing sales until there are this many more. Returns the values of a new sale.
    pub(crate) fn fill(&self, payments: u32) -> Done<Vec<(&'static str, String)>> {
        let values = VALUES.iter().map(|(name, query)| Done::Ok((*name, self.ask(&format!("{query} LIMIT 1"))?)));
        let values = values.collect::<Done<Vec<_>>>()?;
        wait(self.run_file("prepare.sql", &[]).spawn()?)?;
        let rows = format!("rows={payments}");
        let both =
            ["kind=payments", "kind=fiscal_documents"].map(|kind| self.run_file("load.sql", &[kind, &rows]).spawn());
        for load in both {
            wait(load?)?;
        }
        self.ask("VACUUM")?;
        self.ask("CHECKPOINT")?;
        Ok(values)
    }

    /// Lets so many events of the payments that were cloned wait for an endpoint. Each is the clone of one event.
    pub(crate) fn let_wait(&self, endpoint: &str, payments: u32, events: u32) -> Done {
        let of_the_first = format!(
            "FROM (SELECT 'payment_' || left(md5('payment' || 1 + (n - 1) % {payments}), 26) AS name, \
             1 + (n - 1) / {payments} AS place FROM generate_series(1, {events}) n) clone, \
             (SELECT * FROM events WHERE kind = 'payment.created' LIMIT 1) t"
        );
        let insert = "SET session_replication_role = replica; INSERT INTO events \
             (merchant, mode, payment, sequence, kind, previous_status, request, occurred_at, snapshot, part)";
        self.ask(&format!(
            "{insert} SELECT t.merchant, t.mode, name, place, t.kind, t.previous_status, t.request, t.occurred_at, \
             t.snapshot, t.part {of_the_first} ON CONFLICT DO NOTHING"
        ))?;
        self.ask(&format!(
            "INSERT INTO webhook_deliveries \
             (merchant, mode, endpoint, occurred_at, subject, sequence, kind, attempts, status, due_at) \
             SELECT t.merchant, t.mode, '{endpoint}', t.occurred_at, name, place, t.kind, 0, 'pending', \
             t.occurred_at {of_the_first}"
        ))?;
        self.ask("VACUUM ANALYZE events, webhook_deliveries")?;
        self.ask("CHECKPOINT").map(drop)
    }

    /// Resets the documents of cloned sales to the state right after the payment, except for the due time: work starts only
    /// when the tables are vacuumed.
    pub(crate) fn prepare_due(&self, payments: u32, documents: u32) -> Done {
        // The first template is a sale that was canceled.
        let paid = format!("SELECT n FROM generate_series(1, {payments}) n WHERE n % 10 <> 0 LIMIT {documents}");
        self.ask(&format!(
            "SET session_replication_role = replica; UPDATE fiscal_documents SET status = 'issuing', stage = \
             json_build_object('stage', json_build_object('awaiting', 'number', 'rejection', NULL), \
             'submissions', 0, 'waits', 0, 'next_attempt_at', updated_at)::text, \
             fiscal_number = NULL, due_at = {NEVER} \
             FROM (SELECT 'fiscal_document_' || left(md5('document' || n), 26) AS name FROM ({paid}) it) it WHERE id = name"
        ))?;
        self.ask("VACUUM ANALYZE fiscal_documents")?;
        self.ask("CHECKPOINT").map(drop)
    }

    /// They are due from now on.
    pub(crate) fn make_due(&self) -> Done {
        self.ask(&format!(
            "SET session_replication_role = replica; UPDATE fiscal_documents SET due_at = updated_at WHERE due_at = {NEVER}"
        ))
        .map(drop)
    }

    /// How many of them are not issued yet: those alone have anything due.
    pub(crate) fn count_unissued(&self) -> Done<u64> {
        Ok(self.ask("SELECT count(*) FROM fiscal_documents WHERE due_at IS NOT NULL")?.parse()?)
    }

    /// Writes names of payments, in no order, to a file.
    pub(crate) fn write_names(&self, payments: u32, file: &Path) -> Done {
        let some = format!("SELECT 'payment_' || left(md5('payment' || 1 + (n * 7919::bigint) % {payments}), 26)");
        Ok(fs::write(file, self.ask(&format!("{some} FROM generate_series(1, 20000) n"))?)?)
    }

    /// Runs a query and returns one line per row.
    pub(crate) fn ask(&self, query: &str) -> Done<String> {
        Ok(output(query, quiet(&self.superusers_url()).args(["-c", query]))?.trim_end().to_owned())
    }

    /// A program of PostgreSQL that is about to connect to the database.
    pub(crate) fn program(&self, name: &str) -> Done<Command> {
        let folder = needs::folder_of(&[name]).ok_or_else(|| format!("there is no {name}"))?;
        let mut command = Command::new(folder.join(name));
        command.env("PGHOST", "127.0.0.1").env("PGPORT", self.port.to_string());
        command.env("PGUSER", ROLE).env("PGDATABASE", &self.database).env("PGOPTIONS", "-c jit=off");
        Ok(command)
    }

    fn run_file(&self, name: &str, variables: &[&str]) -> Command {
        let mut psql = quiet(&self.superusers_url());
        psql.args(variables.iter().flat_map(|variable| ["-v", variable])).arg("-f").arg(fixture(name));
        psql
    }

    fn superusers_url(&self) -> String {
        format!("postgres://cobro@127.0.0.1:{}/{}", self.port, self.database)
    }
}

/// A file of the measuring.
pub(crate) fn fixture(name: &str) -> PathBuf {
    root().join("fixtures/bench").join(name)
}

/// `psql` without headers, which stops at the first error.
fn quiet(url: &str) -> Command {
    let mut psql = Command::new("psql");
    psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url]);
    psql
}

/// Runs a statement in the server's own database, and returns one line per row.
fn run(server: &Server, statement: &str) -> Done<String> {
    output(statement, quiet(&server.url()).args(["-c", statement]))
}

fn wait(mut psql: Child) -> Done {
    if psql.wait()?.success() { Ok(()) } else { Err("the database was not filled: see above".into()) }
}
