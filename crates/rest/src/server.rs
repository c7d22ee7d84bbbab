use std::{io, net::TcpListener, time::Duration};

use actix_http::{HttpService, KeepAlive, Request, error::DispatchError};
use actix_service::{ServiceFactoryExt, fn_service, map_config};
use actix_web::{
    dev::{AppConfig, Server},
    rt::net::TcpStream,
    web::{Data, ServiceConfig},
};

use crate::{
    connection::ClientConnection,
    connection_limits::ConnectionLimits,
    expectation::check_expectation,
    routes::{app, for_operators, routes},
    state::State,
};

/// Threads that serve requests. Long computations run on other threads.
const WORKERS: usize = 2;
/// Time for which a connection waits for the next request.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// Maximum time in which the head of a request arrives.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time in which a client closes its connection.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time that running requests have to complete when the server stops.
pub const DRAIN: Duration = Duration::from_secs(25);

/// Returns the server on `listener`, with the API and `pages`. The server runs while awaited, until a stop by the handle.
///
/// The server speaks HTTP/1.1 without TLS, which ends at a proxy, and handles no signals.
///
/// # Errors
///
/// If the listener cannot be used.
pub fn server(
    state: State,
    listener: TcpListener,
    pages: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
) -> io::Result<Server> {
    serve(state, listener, move |config| {
        pages(config);
        routes(config);
    })
}

/// Returns the server of health, readiness and metrics for a process that runs only a worker.
///
/// # Errors
///
/// If the listener cannot be used.
pub fn operators_server(state: State, listener: TcpListener) -> io::Result<Server> {
    serve(state, listener, for_operators)
}

fn serve(
    state: State,
    listener: TcpListener,
    routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
) -> io::Result<Server> {
    let per_worker = state.limits.connections().div_ceil(WORKERS);
    let builder = Server::build()
        .workers(WORKERS)
        .max_concurrent_connections(per_worker)
        .shutdown_timeout(DRAIN.as_secs())
        .disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let address = listener.local_addr()?;
    let connections = ConnectionLimits::at_most(state.limits.connections(), state.proxies.clone());
    let state = Data::new(state);
    let service = move || {
        let application = app(state.clone(), routes.clone());
        let stopping = stopping.clone();
        let expectations = state.clone();
        let http = HttpService::build()
            .keep_alive(KeepAlive::Timeout(KEEP_ALIVE))
            .client_request_timeout(HEAD_TIMEOUT)
            .client_disconnect_timeout(DISCONNECT_TIMEOUT)
            .local_addr(address)
            .on_connect_ext(|connection: &ClientConnection, data| {
                data.insert(connection.pending());
            })
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .expect(fn_service(move |request: Request| {
                let state = expectations.clone();
                async move { check_expectation(&state, request.head()).await.map(|()| request) }
            }))
            .h1(map_config(application, |()| AppConfig::default()));
        let connections = connections.clone();
        fn_service(move |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            let admitted = connections.admit(peer);
            async move {
                let connection = admitted.ok_or_else(|| DispatchError::Io(io::ErrorKind::ConnectionRefused.into()))?;
                Ok((ClientConnection::new(stream, connection), peer))
            }
        })
        .and_then(http)
    };
    Ok(builder.listen("rest", listener, service)?.run())
}
