use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
};

use actix_web::dev::Server;
use app::{KeyUses, Ports};
use rest::DRAIN;
use tokio::time::timeout;
use worker::Worker;

use crate::{
    clock,
    failure::{Context, Done},
    probes,
    stop::Stop,
    uses,
};

/// Serves and works until the shutdown signal, then finishes running requests.
pub(crate) async fn until_stopped(
    server: Server,
    (ports, uses): (&Ports, &KeyUses),
    worker: Option<Arc<Worker>>,
    stop: &Stop,
) -> Done {
    let handle = server.handle();
    let serving = async {
        let served = tokio::spawn(server).await;
        // Without the server the other tasks stop as well.
        stop.now();
        served
    };
    let ending = async {
        stop.requested().await;
        handle.stop(true).await;
    };
    let working = async {
        let Some(worker) = worker else { return Ok(()) };
        let worked = work(worker, stop).await;
        // A server without a worker would accept payments without issuing documents.
        stop.now();
        worked
    };
    let beside =
        async { tokio::join!(uses::keep(ports, uses, stop), probes::keep(ports, stop), clock::watch(ports, stop)) };
    let (served, (), worked, _) = tokio::join!(serving, ending, working, beside);
    served.or_fail("the server broke down")?.or_fail("the server broke down")?;
    worked
}

/// Opens a listener, and returns its address.
pub(crate) fn listen(address: SocketAddr) -> Done<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).or_fail(format!("cannot listen on {address}"))?;
    let address = listener.local_addr().or_fail("the listener has no address")?;
    Ok((listener, address))
}

/// Works until the shutdown signal, then finishes running jobs.
pub(crate) async fn work(worker: Arc<Worker>, stop: &Stop) -> Done {
    let signal = stop.clone();
    let mut working = tokio::spawn(async move { worker.run(signal.requested()).await });
    tokio::select! {
        ended = &mut working => return ended.or_fail("the worker broke down"),
        () = stop.requested() => {}
    }
    match timeout(DRAIN, working).await {
        Ok(ended) => ended.or_fail("the worker broke down"),
        // Running jobs are durable: an interruption is no failure.
        Err(_) => {
            tracing::warn!("the worker did not finish in time: another process takes over its jobs");
            Ok(())
        }
    }
}
