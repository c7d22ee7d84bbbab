use diesel::sql_types::{BigInt, Nullable, Text};
use ports::NumberRequest;

use super::{Postgres, build_all};
use crate::{
    failure::Failure,
    query::AnyStatement,
    rows::NumberedRow,
    scope::Scope,
    sql::sql_file,
    time::{day, millis},
};

impl Postgres {
    /// Returns the numbers of revisions, and assigns those that are missing from the oldest range, with one statement.
    ///
    /// All requests share one tenant, kind and day.
    pub(super) async fn assign(&self, requests: &[NumberRequest]) -> Result<Vec<NumberedRow>, Failure> {
        let Some(first) = requests.first() else { return Ok(Vec::new()) };
        let assign = sql_file!(
            "postgres/assign_numbers",
            merchant: first.tenant.merchant.as_str(),
            mode: first.tenant.mode.as_str(),
            issuer: first.issuer.as_str(),
            environment: first.environment.as_str(),
            kind: first.kind.as_str(),
            today: day(first.today),
            has_last_day: first.kind.has_sequence_expiry(),
            documents: requests.iter().map(|request| request.document.to_string()).collect::<Vec<_>>(),
            revisions: requests.iter().map(|request| i64::from(request.revision)).collect::<Vec<_>>(),
            requested_at: requests.iter().map(|request| millis(request.now)).collect::<Vec<_>>(),
        );
        build_all::<_, (Text, BigInt, (Text, BigInt, Nullable<Text>, Text))>(
            &self.write_rows(Scope::of(&first.tenant), AnyStatement::statement(assign)).await?,
        )
    }
}
