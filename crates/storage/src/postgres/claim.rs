use diesel::sql_types::Text;
use ports::Unavailable;

use super::Postgres;
use crate::{rows::WorkRow, scope::Scope, sql::sql_file};

impl Postgres {
    /// Leases due payments, documents and refunds.
    pub(super) async fn claim_due(&self, now: i64, lease_until: i64, limit: i64) -> Result<Vec<WorkRow>, Unavailable> {
        let claim = sql_file!("postgres/claim_due", now: now, lease_until: lease_until, limit: limit);
        self.load_written(Scope::WORK, claim.returning::<(Text, Text, Text, Text)>()).await
    }
}
