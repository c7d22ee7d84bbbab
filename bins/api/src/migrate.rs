use storage::Postgres;

use crate::{
    config::DatabaseOptions,
    failure::{Context, Done},
};

/// Brings the schema up to date.
pub(crate) async fn run(options: DatabaseOptions) -> Done {
    let store = Postgres::connect(&options.url()?).await.or_fail("the database cannot be used")?;
    store.migrate().await.or_fail("the schema cannot be brought up to date")?;
    tracing::info!("the schema is up to date");
    Ok(())
}
