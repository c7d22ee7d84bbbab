use diesel::{dsl::sql, sql_types::Text};
use ports::Unavailable;

use super::Postgres;
use crate::scope::Scope;

impl Postgres {
    /// Analyzes the tables that have rows and no statistics, and returns their number.
    ///
    /// Autovacuum does so a minute or more after the first rows. Until then the planner takes two equal columns for as
    /// selective as a whole key, and searches a sale among all sales of the merchant. New statistics also end the plans
    /// that connections have prepared. Tables of another owner are left out.
    ///
    /// # Errors
    ///
    /// If the database does not respond.
    pub async fn analyze_new_tables(&self) -> Result<usize, Unavailable> {
        let tables = sql::<Text>(
            "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = current_schema()::regnamespace \
             AND relkind = 'r' AND reltuples < 0 AND pg_relation_size(oid) > 0 AND pg_has_role(relowner, 'USAGE')",
        );
        let tables: Vec<String> = self.load(Scope::NONE, tables).await?;
        if !tables.is_empty() {
            self.execute(Scope::NONE, diesel::sql_query(format!("ANALYZE {}", tables.join(", ")))).await?;
        }
        Ok(tables.len())
    }
}
