use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{BigInt, Text},
};
use ports::Unavailable;

use super::Postgres;
use crate::{rows::WorkRow, scope::Scope};

impl Postgres {
    /// Leases what is due. Rows that another worker is claiming at this moment are passed over.
    pub(super) async fn claim_due(&self, now: i64, lease_until: i64, limit: i64) -> Result<Vec<WorkRow>, Unavailable> {
        self.load_written(Scope::work(), Claim { now, lease_until, limit }).await
    }
}

/// One statement: lock the oldest of each table, lease the oldest of both.
#[derive(QueryId)]
struct Claim {
    now: i64,
    lease_until: i64,
    limit: i64,
}

impl Query for Claim {
    type SqlType = (Text, Text, Text, Text);
}

impl QueryFragment<Pg> for Claim {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH ");
        self.lock("payments", out.reborrow())?;
        out.push_sql(", ");
        self.lock("fiscal_documents", out.reborrow())?;
        out.push_sql(
            ", due AS (SELECT * FROM (SELECT * FROM due_payments UNION ALL SELECT * FROM due_fiscal_documents) either \
             ORDER BY due_at LIMIT ",
        );
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql("), ");
        self.lease("payments", out.reborrow())?;
        out.push_sql(", ");
        self.lease("fiscal_documents", out.reborrow())?;
        out.push_sql(" SELECT source, merchant, mode, id FROM due ORDER BY due_at");
        Ok(())
    }
}

impl Claim {
    fn lock<'b>(&'b self, table: &str, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(&format!(
            "due_{table} AS (SELECT '{table}' AS source, merchant, mode, id, due_at FROM {table} WHERE due_at <= "
        ));
        out.push_bind_param::<BigInt, _>(&self.now)?;
        out.push_sql(" AND (lease_until IS NULL OR lease_until <= ");
        out.push_bind_param::<BigInt, _>(&self.now)?;
        out.push_sql(") ORDER BY due_at LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql(" FOR UPDATE SKIP LOCKED)");
        Ok(())
    }

    fn lease<'b>(&'b self, table: &str, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(&format!("leased_{table} AS (UPDATE {table} SET lease_until = "));
        out.push_bind_param::<BigInt, _>(&self.lease_until)?;
        out.push_sql(&format!(
            " FROM due WHERE source = '{table}' AND {table}.merchant = due.merchant AND {table}.mode = due.mode \
             AND {table}.id = due.id RETURNING 1)"
        ));
        Ok(())
    }
}
