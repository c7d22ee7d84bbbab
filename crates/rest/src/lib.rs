//! The public REST surface: routes, handlers, and errors as HTTP.
//!
//! A request goes one way: `exchange` gives it an identifier and a guard, `routes` finds its
//! handler, and the handler asks `call` in the published order for what it needs (who is asking,
//! whether they may, what they sent) before it calls one use case. Whatever fails on the way is a
//! `Problem`, and `problem` alone knows its status.

mod answer;
mod arrival;
mod authorization;
mod body;
mod browser;
mod call;
mod command;
mod connections;
mod detached;
mod exchange;
mod expect;
mod handlers;
mod headers;
mod hosts;
mod limits;
mod metrics;
mod panics;
mod problem;
mod proxies;
mod routes;
mod server;
mod trace;
mod trail;
mod trailers;
mod visitors;

use std::time::Duration;

use app::{KeyUses, Ports};
use wire::PublicUrls;

pub use limits::{Limits, MonotonicClock};
pub use metrics::{ConnectionUse, ExternalCall, Metrics};
pub use panics::log_panics_without_their_message;
pub use problem::{Endpoint, Internal};
pub use proxies::TrustedProxies;
pub use routes::{app, routes};
pub use server::{DRAIN, operators_server, server};
pub use trace::TRACES;

/// What every exchange needs.
#[derive(Clone)]
pub struct State {
    /// The outside world.
    pub ports: Ports,
    /// Where the pages are that answers point to. No answer takes an address from a request.
    pub urls: PublicUrls,
    /// The names that this server is called by, as in `api.example.do`, with or without a port.
    /// Where there are none, any is good.
    pub allowed_hosts: Vec<String>,
    /// Whether webhooks may go to this very machine, as they may in a sandbox that was told so.
    pub allows_private_webhooks: bool,
    /// How often anybody may ask.
    pub limits: Limits,
    /// What is counted.
    pub metrics: Metrics,
    /// Who stands between a client and this server.
    pub proxies: TrustedProxies,
    /// Which keys were used, until somebody writes it.
    pub uses: KeyUses,
    /// How often a command that is still running says so, lest others take it for dead.
    pub lease_renewal: Duration,
}

impl State {
    /// Often enough that one renewal may fail.
    pub const LEASE_RENEWAL: Duration = Duration::from_secs(20);
}
