//! Counts of the database: statements, commits, rows and bytes of the write-ahead log.

use std::{fs, ops::Sub};

use super::tables::Tables;
use crate::{chore::Done, postgres::Server};

/// Counts since the start of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Statements of the measured database.
    pub(crate) statements: u64,
    /// Transactions that wrote.
    pub(crate) commits: u64,
    /// Bytes that were written: of the log in PostgreSQL, of all files in SQLite.
    pub(crate) written: u64,
}

impl Counts {
    /// Reads the counts of a PostgreSQL database.
    pub(super) fn of_database(server: &Server, tables: &Tables) -> Done<Self> {
        let statements = tables.count_statements(server)?;
        let text =
            tables.ask("SELECT pg_snapshot_xmax(pg_current_snapshot()), pg_current_wal_lsn() - '0/0'::pg_lsn")?;
        let (commits, written) = text.split_once('|').ok_or("no counts")?;
        Ok(Self { statements, commits: commits.parse()?, written: written.parse()? })
    }

    /// Reads the bytes that a process has written to files.
    pub(super) fn of_files(process: u32) -> Done<Self> {
        let text = fs::read_to_string(format!("/proc/{process}/io"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("write_bytes: ")).ok_or("no written bytes")?;
        Ok(Self { written: line.trim().parse()?, ..Self::default() })
    }
}

impl Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            statements: self.statements.saturating_sub(before.statements),
            commits: self.commits.saturating_sub(before.commits),
            written: self.written.saturating_sub(before.written),
        }
    }
}
