use std::{io, net::TcpListener, time::Duration};

use actix_http::{HttpService, KeepAlive, Request, error::DispatchError};
use actix_service::{ServiceFactoryExt, fn_service, map_config};
use actix_web::{
    dev::{AppConfig, Server},
    rt::net::TcpStream,
    web::{Data, ServiceConfig},
};

use crate::{
    State,
    arrival::Answering,
    connections::Connections,
    expect,
    routes::{app, for_operators, routes},
};

/// Threads that serve. What costs more than a moment is done on others.
const WORKERS: usize = 2;
/// How long a connection waits for its next request.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// How long a request's head may take to arrive.
const HEAD_PATIENCE: Duration = Duration::from_secs(5);
/// How long a client may take to hang up.
const PARTING_PATIENCE: Duration = Duration::from_secs(5);
/// Time that running requests have to complete when the server stops.
pub const DRAIN: Duration = Duration::from_secs(25);

/// The server behind `listener`; it serves while it is awaited, until its handle stops it.
///
/// It speaks HTTP/1.1 alone: TLS ends at a proxy. Signals are the caller's business.
///
/// # Errors
///
/// The listener cannot be used.
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

/// Server of health, readiness and metrics, for a process that runs only a worker.
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
    let of_each_worker = state.limits.connections().div_ceil(WORKERS);
    let builder = Server::build()
        .workers(WORKERS)
        .max_concurrent_connections(of_each_worker)
        .shutdown_timeout(DRAIN.as_secs())
        .disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let address = listener.local_addr()?;
    let connections = Connections::at_most(state.limits.connections(), state.proxies.clone());
    let state = Data::new(state);
    let service = move || {
        let application = app(state.clone(), routes.clone());
        let stopping = stopping.clone();
        let asked = state.clone();
        let exchanges = HttpService::build()
            .keep_alive(KeepAlive::Timeout(KEEP_ALIVE))
            .client_request_timeout(HEAD_PATIENCE)
            .client_disconnect_timeout(PARTING_PATIENCE)
            .local_addr(address)
            .on_connect_ext(|connection: &Answering, data| {
                data.insert(connection.arrival());
            })
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .expect(fn_service(move |request: Request| {
                let state = asked.clone();
                async move { expect::invite(&state, request.head()).await.map(|()| request) }
            }))
            .h1(map_config(application, |()| AppConfig::default()));
        let connections = connections.clone();
        fn_service(move |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            let admitted = connections.admit(peer);
            async move {
                let connection = admitted.ok_or_else(|| DispatchError::Io(io::ErrorKind::ConnectionRefused.into()))?;
                Ok((Answering::new(stream, connection), peer))
            }
        })
        .and_then(exchanges)
    };
    Ok(builder.listen("rest", listener, service)?.run())
}
