use chrono::{DateTime, Utc};
use diesel::{
    IntoSql, QueryResult,
    query_builder::{AstPass, QueryFragment},
    sql_types::BigInt,
};
use domain::{EventKind, WebhookEndpointId, webhook::EventSelection};
use ports::Tenant;

use super::{Backend, FIND};
use crate::{
    query::AnyStatement,
    sql::{Bind, SqlFile, sql_file},
    time::millis,
    write::Write,
};

/// Enqueues events for every endpoint of their tenant that has enabled them.
pub(super) struct Enqueue {
    merchant: String,
    mode: &'static str,
    occurred_at: i64,
    /// Name of the sale or object of the events in the rows.
    subject: String,
    /// Endpoint that gets no events; empty: none.
    excluded: String,
    events: Vec<SqlFile<Backend>>,
}

impl Enqueue {
    /// Enqueues no event yet. All events occurred at `at` and are about `subject`.
    pub(super) fn new(tenant: &Tenant, subject: String, at: DateTime<Utc>) -> Self {
        let (merchant, mode) = (tenant.merchant.to_string(), tenant.mode.as_str());
        Self { merchant, mode, occurred_at: millis(at), subject, excluded: String::new(), events: Vec::new() }
    }

    /// Adds an event that has no sequence number.
    pub(super) fn and_other(self, kind: EventKind) -> Self {
        self.and(kind, 0_i64.into_sql::<BigInt>())
    }

    /// Adds an event with the sequence number that `sequence` computes.
    pub(super) fn and(
        mut self,
        kind: EventKind,
        sequence: impl QueryFragment<Backend> + Send + Sync + 'static,
    ) -> Self {
        // The patterns as they are stored in the JSON of an endpoint.
        let [all, group, own] = EventSelection::patterns_of(kind).map(|pattern| format!("\"{pattern}\""));
        self.events.push(sql_file!(
            "enqueue_event",
            merchant: self.merchant.as_str(),
            mode: self.mode,
            occurred_at: self.occurred_at,
            subject: self.subject.as_str(),
            sequence: AnyStatement::statement(sequence),
            kind: kind.as_str(),
            excluded: self.excluded.as_str(),
            find: Bind::Sql(FIND),
            all_pattern: all,
            group_pattern: group,
            kind_pattern: own,
        ));
        self
    }

    /// Excludes an endpoint from the events that are added later.
    pub(super) fn excluding(self, endpoint: &WebhookEndpointId) -> Self {
        Self { excluded: endpoint.to_string(), ..self }
    }

    /// Returns the write, if there is an event. Without an enabled endpoint, no row is written.
    pub(super) fn write(self) -> Option<Write<Backend>> {
        let enqueue = |events| sql_file!("enqueue", events: AnyStatement::statement(UnionAll(events)));
        (!self.events.is_empty()).then(|| Write::unchecked(enqueue(self.events)))
    }
}

/// Statements as one.
struct UnionAll(Vec<SqlFile<Backend>>);

impl QueryFragment<Backend> for UnionAll {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        for (index, statement) in self.0.iter().enumerate() {
            if index > 0 {
                out.push_sql(" UNION ALL ");
            }
            statement.walk_ast(out.reborrow())?;
        }
        Ok(())
    }
}
