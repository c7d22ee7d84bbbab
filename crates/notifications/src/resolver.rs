use std::{
    error::Error,
    io,
    iter::successors,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
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

/// The name has an address that is not public.
#[derive(Debug, thiserror::Error)]
#[error("the name has an address that is not public")]
pub(crate) struct BlockedAddress;

/// Resolver that refuses names with an address that is not allowed. The connection uses the checked addresses: there is
/// no second look-up that could return others.
pub(crate) struct GuardedResolver {
    pub(crate) names: Arc<dyn NameResolver>,
    pub(crate) allowed: AllowedTargets,
}

/// Permitted destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllowedTargets {
    Public,
    /// Also this machine, for developers.
    PublicAndLoopback,
}

impl AllowedTargets {
    pub(crate) fn allows(self, address: IpAddr) -> bool {
        is_public(address) || (self == Self::PublicAndLoopback && address.is_loopback())
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, allowed) = (self.names.clone(), self.allowed);
        Box::pin(async move {
            let addresses = names.look_up(name.as_str()).await?;
            // A forbidden address among permitted ones may be part of an attack.
            if addresses.iter().all(|it| allowed.allows(it.ip())) {
                Ok(Box::new(addresses.into_iter()) as Addrs)
            } else {
                Err(BlockedAddress.into())
            }
        })
    }
}

/// Whether the guard refused the address.
pub(crate) fn is_blocked(error: &(dyn Error + 'static)) -> bool {
    successors(Some(error), |&it| it.source()).any(|it| it.is::<BlockedAddress>())
}
