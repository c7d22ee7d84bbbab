use std::{
    io,
    net::{IpAddr, SocketAddr},
};

use async_trait::async_trait;
use tokio::net::lookup_host;

use crate::public_address::is_public;

/// Resolves host names.
#[async_trait]
pub trait NameResolver: Send + Sync {
    /// Returns every address of `host`.
    ///
    /// # Errors
    ///
    /// If the name cannot be resolved.
    async fn look_up(&self, host: &str) -> io::Result<Vec<SocketAddr>>;
}

/// The operating system's resolver.
#[derive(Clone, Copy, Debug)]
pub struct SystemResolver;

#[async_trait]
impl NameResolver for SystemResolver {
    async fn look_up(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(lookup_host((host, 0)).await?.collect())
    }
}

/// Permitted destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllowedTargets {
    Public,
    /// Also this machine, for developers.
    PublicAndLoopback,
}

impl AllowedTargets {
    /// Whether a host name may resolve to `address`.
    pub(crate) fn allows(self, address: IpAddr) -> bool {
        is_public(address) || self.allows_literal(address)
    }

    /// Whether a URL may contain `address` instead of a host name.
    pub(crate) fn allows_literal(self, address: IpAddr) -> bool {
        self == Self::PublicAndLoopback && address.is_loopback()
    }
}
