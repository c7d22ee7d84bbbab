//! Queries and writes for both databases.
//!
//! This folder is a module of `postgres` and of `sqlite`, with the `Store` and `Backend` of each.

mod accounts;
mod artifacts;
mod backlog;
mod commit;
mod credentials;
mod emails;
mod endpoints;
mod enqueue;
mod events;
mod exchange;
mod filters;
mod idempotency;
mod ledger;
mod merchants;
mod numbers;
mod readiness;
mod refunds;
mod registry;
mod sales;
mod search;
mod secrets;
mod setup;
mod stored_cards;
mod webhook_log;
mod webhooks;
mod work;

use ports::Unavailable;

use super::{Backend, FIND, Pending, Store};
use crate::{failure::unavailable, query::Load, rows::StoredRow, scope::Scope};

impl Store {
    /// Returns the values of all rows of a query.
    fn all<R, Q>(&self, scope: Scope, query: Q) -> Pending<'_, Vec<R::Value>>
    where
        R: StoredRow + Send + 'static,
        Q: Load<Backend, R> + Send + 'static,
    {
        let rows = self.load::<R, Q>(scope, query);
        Box::pin(async move { rows.await?.into_iter().map(R::restore).collect::<Result<_, _>>().map_err(unavailable) })
    }

    /// Returns the value of the only row of a query, if there is one.
    fn one<R, Q>(&self, scope: Scope, query: Q) -> Pending<'_, Option<R::Value>>
    where
        R: StoredRow + Send + 'static,
        Q: Load<Backend, R> + Send + 'static,
    {
        let rows = self.load::<R, Q>(scope, query);
        Box::pin(async move { rows.await?.pop().map(R::restore).transpose().map_err(unavailable) })
    }

    /// Returns the number that a query counts.
    async fn count<Q: Load<Backend, i64> + Send + 'static>(&self, scope: Scope, query: Q) -> Result<u64, Unavailable> {
        let counted = self.load(scope, query).await?.pop();
        Ok(counted.and_then(|it| u64::try_from(it).ok()).unwrap_or_default())
    }
}
