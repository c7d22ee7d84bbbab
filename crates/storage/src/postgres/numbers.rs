use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{Array, BigInt, Bool, Nullable, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use ports::NumberRequest;

use super::{Postgres, enter::enter};
use crate::{
    failure::Failure,
    rows::NumberedRow,
    scope::Scope,
    time::{day, millis},
};

impl Postgres {
    /// In one statement: the numbers that the revisions have, and for the others as many as the oldest range has left.
    pub(super) async fn give(&self, asked: &[NumberRequest]) -> Result<Vec<NumberedRow>, Failure> {
        let Some(first) = asked.first() else { return Ok(Vec::new()) };
        let (scope, give) = (&Scope::of(&first.tenant), &Give::new(first, asked));
        let given = self.write(|connection| async move {
            let mut it: &AsyncPgConnection = &connection;
            tokio::try_join!(biased; enter(scope.clone(), it), give.load(&mut it))
        });
        given.await.map(|((), rows)| rows)
    }
}

/// Takes numbers from the oldest range that has some, and binds each to its revision.
///
/// Whoever comes at the same time from another process waits at the range's row. The row is then as it was left, but which
/// range is the oldest was known before: if that has nothing left, nothing is given, and who asks again sees what is there.
#[derive(QueryId)]
struct Give {
    merchant: String,
    mode: &'static str,
    issuer: String,
    environment: &'static str,
    kind: &'static str,
    today: String,
    /// Printed on the document, so it is fixed with the number.
    has_last_day: bool,
    documents: Vec<String>,
    revisions: Vec<i64>,
    at: Vec<i64>,
}

impl Give {
    fn new(first: &NumberRequest, asked: &[NumberRequest]) -> Self {
        Self {
            merchant: first.tenant.merchant.to_string(),
            mode: first.tenant.mode.as_str(),
            issuer: first.issuer.as_str().to_owned(),
            environment: first.environment.as_str(),
            kind: first.kind.as_str(),
            today: day(first.today),
            has_last_day: first.kind.has_sequence_expiry(),
            documents: asked.iter().map(|it| it.document.to_string()).collect(),
            revisions: asked.iter().map(|it| it.revision.into()).collect(),
            at: asked.iter().map(|it| millis(it.now)).collect(),
        }
    }
}

/// Who asks several times has one number.
const KNOWN: &str = "::bigint[]) AS it (document, revision, asked_at) GROUP BY it.document, it.revision), \
     known AS (SELECT had.document, had.revision, had.kind, had.sequence, had.valid_until, had.issue_date \
     FROM asked JOIN fiscal_numbers had USING (merchant, mode, document, revision)), \
     unknown AS (SELECT asked.*, row_number() OVER (ORDER BY asked.asked_at, asked.document, asked.revision) - 1 AS place \
     FROM asked WHERE NOT EXISTS (SELECT FROM fiscal_numbers had WHERE had.merchant = asked.merchant \
     AND had.mode = asked.mode AND had.document = asked.document AND had.revision = asked.revision))";

const TAKEN: &str = " ORDER BY created_at, first LIMIT 1), \
     open AS (SELECT it.* FROM oldest JOIN number_ranges it USING (issuer, environment, kind, first) \
     WHERE it.next <= it.last AND EXISTS (SELECT FROM unknown) FOR UPDATE OF it), \
     given AS (INSERT INTO fiscal_numbers (issuer, environment, kind, sequence, merchant, mode, document, revision, \
     valid_until, issue_date, assigned_at) SELECT open.issuer, open.environment, open.kind, open.next + unknown.place, \
     unknown.merchant, unknown.mode, unknown.document, unknown.revision, CASE WHEN ";

const BOUND: &str = ", unknown.asked_at FROM open JOIN unknown ON open.next + unknown.place <= open.last \
     RETURNING document, revision, kind, sequence, valid_until, issue_date), \
     moved AS (UPDATE number_ranges it SET next = open.next + (SELECT count(*) FROM given) FROM open \
     WHERE it.issuer = open.issuer AND it.environment = open.environment AND it.kind = open.kind \
     AND it.first = open.first) SELECT * FROM known UNION ALL SELECT * FROM given";

impl Query for Give {
    type SqlType = (Text, BigInt, (Text, BigInt, Nullable<Text>, Text));
}

impl QueryFragment<Pg> for Give {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH asked AS (SELECT ");
        out.push_bind_param::<Text, _>(&self.merchant)?;
        out.push_sql("::text AS merchant, ");
        out.push_bind_param::<Text, _>(self.mode)?;
        out.push_sql("::text AS mode, it.document, it.revision, min(it.asked_at) AS asked_at FROM unnest(");
        out.push_bind_param::<Array<Text>, _>(&self.documents)?;
        out.push_sql("::text[], ");
        out.push_bind_param::<Array<BigInt>, _>(&self.revisions)?;
        out.push_sql("::bigint[], ");
        out.push_bind_param::<Array<BigInt>, _>(&self.at)?;
        out.push_sql(KNOWN);
        out.push_sql(
            ", oldest AS MATERIALIZED (SELECT issuer, environment, kind, first FROM number_ranges WHERE merchant = ",
        );
        out.push_bind_param::<Text, _>(&self.merchant)?;
        out.push_sql(" AND mode = ");
        out.push_bind_param::<Text, _>(self.mode)?;
        out.push_sql(" AND environment = ");
        out.push_bind_param::<Text, _>(self.environment)?;
        out.push_sql(" AND issuer = ");
        out.push_bind_param::<Text, _>(&self.issuer)?;
        out.push_sql(" AND kind = ");
        out.push_bind_param::<Text, _>(self.kind)?;
        out.push_sql(" AND next <= last AND (valid_until IS NULL OR valid_until >= ");
        out.push_bind_param::<Text, _>(&self.today)?;
        out.push_sql(")");
        out.push_sql(TAKEN);
        out.push_bind_param::<Bool, _>(&self.has_last_day)?;
        out.push_sql(" THEN open.valid_until END, ");
        out.push_bind_param::<Text, _>(&self.today)?;
        out.push_sql(BOUND);
        Ok(())
    }
}
