use std::{thread, time::Duration};

use super::{
    machine::Processes,
    measured::{Load, Measured},
    pgbench,
    sandbox::Sandbox,
    tables::Tables,
    wrk,
};
use crate::chore::Done;

/// Loads in the order of a round: the database alone, then the server that uses the database.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::database("create", 1),
    Operation::http("create", 1).against(1),
    Operation::database("create", 8),
    Operation::http("create", 16).against(8),
    Operation::http("create", 64).against(8),
    Operation::http("create", 256).against(8),
    Operation::database("replay", 8),
    Operation::http("replay", 16).against(8),
    Operation::refused("conflict", 16),
    Operation::database("get", 8),
    Operation::http("get", 16).against(8),
    Operation::database("list", 8),
    Operation::http("list", 8).against(8),
    Operation::http("status", 8),
    Operation::http("newest", 8),
];

/// One load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) kind: &'static str,
    pub(crate) connections: u32,
    /// Whether the load is HTTP; otherwise SQL.
    pub(crate) is_http: bool,
    /// Connections of the same load on the database.
    against: Option<u32>,
    is_refused: bool,
}

impl Operation {
    const fn database(kind: &'static str, connections: u32) -> Self {
        Self { kind, connections, is_http: false, against: None, is_refused: false }
    }

    const fn http(kind: &'static str, connections: u32) -> Self {
        Self { is_http: true, ..Self::database(kind, connections) }
    }

    /// Every response must be an error.
    const fn refused(kind: &'static str, connections: u32) -> Self {
        Self { is_refused: true, ..Self::http(kind, connections) }
    }

    const fn against(self, connections: u32) -> Self {
        Self { against: Some(connections), ..self }
    }

    /// The same work without the server.
    pub(crate) fn peer(&self) -> Option<Self> {
        self.against.map(|connections| Self::database(self.kind, connections))
    }

    /// Generates the load and measures rate and cost.
    pub(crate) fn measure(
        &self,
        tables: &Tables,
        sandbox: &Sandbox,
        load: &Load,
        processes: &Processes,
        (round, seconds): (usize, u32),
    ) -> Done<Measured> {
        processes.forget_memory()?;
        let before = processes.used()?;
        let mut measured = if self.is_http {
            let run = format!("{}-{}-{round}", self.kind, self.connections);
            wrk::run(self.kind, &run, self.connections, seconds, sandbox.address(), load)?
        } else {
            pgbench::run(self.kind, round + 1, self.connections, seconds, tables, load)?
        };
        // Server processes may need a moment to end.
        thread::sleep(Duration::from_millis(300));
        measured.used = processes.used()? - before;
        if self.is_http {
            measured.memory = processes.most_memory()?;
        }
        if self.is_refused {
            measured.failed = measured.operations.abs_diff(measured.failed);
        }
        Ok(measured)
    }
}
