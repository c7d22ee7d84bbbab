//! REST API: operations, routes, and errors as HTTP responses.
//!
//! The modules form layers without import cycles:
//!
//! 1. `connection`, `limits`, `metrics`, `proxies`: connections, rate limits and framing;
//! 2. `problem`, `request_log`, `response`: errors and responses;
//! 3. `authentication`, `request`, `command`, `execution`: checks in the published order, and commands that outlive
//!    their connection;
//! 4. `operations`: each operation with description, right and handler in one place;
//! 5. `openapi`, `docs`, `routes`: everything that is made from the table of operations;
//! 6. `middleware`, `server`.

mod authentication;
mod body;
mod browser;
mod command;
mod connection;
mod connection_limits;
mod docs;
mod execution;
mod expectation;
mod headers;
mod hosts;
mod limits;
mod metrics;
mod middleware;
mod openapi;
mod operations;
mod operators;
mod page_limits;
mod panics;
mod paths;
mod problem;
mod proxies;
mod request;
mod request_log;
mod response;
#[cfg(test)]
mod rights_page;
mod routes;
mod server;
mod state;
mod trace;
mod trailers;

pub use limits::{Limits, MonotonicClock};
pub use metrics::{ConnectionUse, ExternalCall, Metrics};
pub use openapi::openapi;
pub use panics::log_panics_without_their_message;
pub use problem::{Endpoint, Internal, handler_error};
pub use proxies::TrustedProxies;
pub use routes::{app, routes};
pub use server::{DRAIN, operators_server, server};
pub use state::State;
pub use trace::TRACES;
