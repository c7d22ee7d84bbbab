use chrono::{DateTime, Utc};
use diesel::{
    QueryResult,
    query_builder::{AstPass, QueryFragment},
    sql_types::{BigInt, Text},
};
use domain::{EventKind, WebhookEndpointId, webhook::EventSelection};
use ports::Tenant;

use super::{Backend, FIND};
use crate::{time::millis, write::Write};

/// Enqueues events for every endpoint of their tenant that has enabled them.
pub(super) struct Enqueue {
    merchant: String,
    mode: &'static str,
    occurred_at: i64,
    /// How the rows name what the events are about.
    subject: String,
    events: Vec<QueuedEvent>,
    /// The endpoint that gets none of them.
    but: Option<String>,
}

/// One of them.
struct QueuedEvent {
    kind: &'static str,
    /// The patterns that cover the kind, as they stand in a list of patterns.
    patterns: [String; 3],
    sequence: Box<dyn QueryFragment<Backend> + Send + Sync>,
}

/// A place that is known from the start.
pub(super) struct Place(pub(super) i64);

impl QueryFragment<Backend> for Place {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        let Self(place) = self;
        out.push_bind_param::<BigInt, _>(place)
    }
}

impl Enqueue {
    /// No event yet; all of them occurred at `at` and are about `subject`.
    pub(super) fn new(tenant: &Tenant, subject: String, at: DateTime<Utc>) -> Self {
        let (merchant, mode) = (tenant.merchant.to_string(), tenant.mode.as_str());
        Self { merchant, mode, occurred_at: millis(at), subject, events: Vec::new(), but: None }
    }

    /// One more, at the place that `sequence` computes.
    pub(super) fn and(
        mut self,
        kind: EventKind,
        sequence: impl QueryFragment<Backend> + Send + Sync + 'static,
    ) -> Self {
        let patterns = EventSelection::patterns_of(kind).map(|it| format!("\"{it}\""));
        self.events.push(QueuedEvent { kind: kind.as_str(), patterns, sequence: Box::new(sequence) });
        self
    }

    /// None for that endpoint.
    pub(super) fn but(self, endpoint: &WebhookEndpointId) -> Self {
        Self { but: Some(endpoint.to_string()), ..self }
    }

    /// The write, if there is an event. Where nobody listens it writes nothing.
    pub(super) fn write(self) -> Option<Write<Backend>> {
        (!self.events.is_empty()).then(|| Write { statement: Box::new(self), otherwise: None, moves: None })
    }
}

impl QueryFragment<Backend> for Enqueue {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO webhook_deliveries \
             (merchant, mode, endpoint, occurred_at, subject, sequence, kind, attempts, status, due_at)",
        );
        for (place, QueuedEvent { kind, patterns, sequence }) in self.events.iter().enumerate() {
            out.push_sql(if place == 0 {
                " SELECT merchant, mode, id, "
            } else {
                " UNION ALL SELECT merchant, mode, id, "
            });
            self.moment(&mut out)?;
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(&self.subject)?;
            out.push_sql(", ");
            sequence.walk_ast(out.reborrow())?;
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(*kind)?;
            out.push_sql(", 0, 'pending', ");
            self.moment(&mut out)?;
            out.push_sql(" FROM webhook_endpoints WHERE merchant = ");
            out.push_bind_param::<Text, _>(&self.merchant)?;
            out.push_sql(" AND mode = ");
            out.push_bind_param::<Text, _>(self.mode)?;
            if let Some(endpoint) = &self.but {
                out.push_sql(" AND id <> ");
                out.push_bind_param::<Text, _>(endpoint)?;
            }
            out.push_sql(" AND disabled IS NULL AND removed_at IS NULL AND (");
            for (place, pattern) in patterns.iter().enumerate() {
                out.push_sql(&format!("{}{FIND}(enabled_events, ", if place == 0 { "" } else { " OR " }));
                out.push_bind_param::<Text, _>(pattern)?;
                out.push_sql(") > 0");
            }
            out.push_sql(")");
        }
        Ok(())
    }
}

impl Enqueue {
    /// When it happened, which says of itself what it is: of parts that stand beside each other no column does.
    fn moment<'b>(&'b self, out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql("CAST(");
        out.push_bind_param::<BigInt, _>(&self.occurred_at)?;
        out.push_sql(" AS bigint)");
        Ok(())
    }
}
