use std::sync::Arc;

use worker::Worker;

use crate::{clock::SystemClock, config::WorkOptions, failure::Done, serve, serving, stop::Stop, wiring::Outside};

/// Works on PostgreSQL, beside any number of others.
pub(crate) async fn run(options: WorkOptions) -> Done {
    let stop = Stop::on_signals()?;
    let deployment = options.settle()?;
    let outside = Outside::real(deployment.azul.clone());
    let ports = serve::production(&deployment, outside, Arc::new(SystemClock)).await?;
    tracing::info!("working");
    serving::work(Arc::new(Worker::new(ports)), &stop).await
}
