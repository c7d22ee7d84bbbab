use std::{net::SocketAddr, sync::Arc};

use app::Ports;
use notifications::SystemResolver;
use rest::{Limits, Metrics, MonotonicClock, State};
use wire::PublicUrls;

use crate::{
    clock::{self, SystemClock},
    config::{WorkOptions, Working},
    failure::{Context, Done},
    memory, probes, sending,
    serve::{self, Production},
    serving,
    stop::Stop,
    stores::wait_for_database,
    wiring::Outside,
};

/// Works on PostgreSQL, beside any number of others.
pub(crate) async fn run(options: WorkOptions) -> Done {
    memory::protect();
    let stop = Stop::on_signals()?;
    let Working { mut deployment, checkout_base_url, listen } = options.settle()?;
    let outside = Outside::real(deployment.azul.clone(), deployment.dgii.connection.clone());
    wait_for_database(&deployment.database_url, &stop).await?;
    let stopwatch = MonotonicClock::default();
    let metrics = Metrics::new(stopwatch.clone()).or_fail("the metrics cannot be created")?;
    let Production { ports, .. } = serve::production(&deployment, outside, Arc::new(SystemClock), &metrics).await?;
    // Events contain the URL of the payer's page, and no link to the API reference.
    let urls = PublicUrls { docs_url: format!("{checkout_base_url}/docs"), checkout_base_url };
    let post = sending::post(deployment.smtp.take())?;
    let dispatcher = sending::dispatcher(&ports, urls.clone(), Arc::new(SystemResolver), false)?;
    let worker = sending::with_post(sending::worker(&ports, dispatcher, &metrics), post);
    let state = State::new(ports.clone(), urls, Limits::standard(stopwatch), metrics);
    let server = listen.map(|address| operators_server(state, address)).transpose()?;
    tracing::info!("working");
    let working = async {
        let worked = serving::work(Arc::new(worker), &stop).await;
        stop.now();
        worked
    };
    let beside = beside(&ports, &stop, server);
    tokio::join!(working, beside).0
}

/// Tasks that run beside the worker until shutdown.
async fn beside(ports: &Ports, stop: &Stop, server: Option<actix_web::dev::Server>) {
    let serving = async {
        let Some(server) = server else { return };
        let handle = server.handle();
        let ended = async {
            stop.requested().await;
            handle.stop(true).await;
        };
        if let (Err(error), ()) = tokio::join!(server, ended) {
            tracing::error!(%error, "the health and metrics server failed");
        }
    };
    tokio::join!(probes::keep(ports, stop), clock::watch(ports, stop), serving);
}

fn operators_server(state: State, listen: SocketAddr) -> Done<actix_web::dev::Server> {
    let (listener, address) = serving::listen(listen)?;
    tracing::info!(%address, "health and metrics are served");
    rest::operators_server(state, listener).or_fail("the server cannot be started")
}
