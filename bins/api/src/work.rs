use std::sync::Arc;

use wire::Site;
use worker::Worker;

use crate::{
    clock::{self, SystemClock},
    config::WorkOptions,
    failure::Done,
    probes, sending,
    serve::{self, Production},
    serving,
    stop::Stop,
    wiring::Outside,
};

/// Works on PostgreSQL, beside any number of others.
pub(crate) async fn run(options: WorkOptions) -> Done {
    let stop = Stop::on_signals()?;
    let (mut deployment, checkout_base_url) = options.settle()?;
    let outside = Outside::real(deployment.azul.clone(), deployment.dgii.connection.clone());
    let Production { ports, .. } = serve::production(&deployment, outside, Arc::new(SystemClock)).await?;
    // What is sent shows where a payer goes, and no page of the reference.
    let site = Site { docs_url: format!("{checkout_base_url}/docs"), checkout_base_url };
    let post = sending::post(deployment.smtp.take())?;
    let worker = sending::with_post(Worker::new(ports.clone()).with(sending::dispatcher(&ports, site, false)?), post);
    tracing::info!("working");
    let working = async {
        let worked = serving::work(Arc::new(worker), &stop).await;
        stop.now();
        worked
    };
    tokio::join!(working, probes::keep(&ports, &stop), clock::watch(&ports, &stop)).0
}
