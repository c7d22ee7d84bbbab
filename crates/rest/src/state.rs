use std::time::Duration;

use app::{KeyUses, Ports};
use wire::PublicUrls;

use crate::{limits::Limits, metrics::Metrics, proxies::TrustedProxies};

/// State that all requests share.
#[derive(Clone)]
pub struct State {
    /// Stores and external services.
    pub ports: Ports,
    /// Base URLs of the pages that responses link to. They never come from a request.
    pub urls: PublicUrls,
    /// Host names of this server, such as `api.example.do`, with or without a port. If empty, any name is accepted.
    pub allowed_hosts: Vec<String>,
    /// Whether webhook endpoints may have private addresses, as in a sandbox.
    pub allows_private_webhooks: bool,
    /// Rate limits and concurrency limits.
    pub limits: Limits,
    /// Metrics of the process.
    pub metrics: Metrics,
    /// TrustedProxies in front of the server.
    pub proxies: TrustedProxies,
    /// Uses of API keys that are not stored yet.
    pub uses: KeyUses,
    /// Interval at which a running command renews the lease on an idempotency key.
    pub lease_renewal: Duration,
}

impl State {
    /// Interval of lease renewals: one may fail before the lease ends.
    pub const LEASE_RENEWAL: Duration = Duration::from_secs(20);

    /// Returns the state of a server for any host name, with unknown proxies.
    pub fn new(ports: Ports, urls: PublicUrls, limits: Limits, metrics: Metrics) -> Self {
        Self {
            ports,
            urls,
            allowed_hosts: Vec::new(),
            allows_private_webhooks: false,
            limits,
            metrics,
            proxies: TrustedProxies::unknown(),
            uses: KeyUses::default(),
            lease_renewal: Self::LEASE_RENEWAL,
        }
    }
}
