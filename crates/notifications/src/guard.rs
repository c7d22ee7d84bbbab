use std::{
    error::Error,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::lookup_host;

use crate::public::is_public;

/// Knows what names stand for.
#[async_trait]
pub trait NameResolver: Send + Sync {
    /// Every address of `host`.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from knowing.
    async fn look_up(&self, host: &str) -> io::Result<Vec<SocketAddr>>;
}

/// What the machine's own resolver says.
#[derive(Clone, Copy, Debug)]
pub struct SystemResolver;

#[async_trait]
impl NameResolver for SystemResolver {
    async fn look_up(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(lookup_host((host, 0)).await?.collect())
    }
}

/// The name stands for an address that is not public.
#[derive(Debug)]
pub(crate) struct Blocked;

impl std::fmt::Display for Blocked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the name stands for an address that is not public")
    }
}

impl Error for Blocked {}

/// Lets names through that stand for nothing but addresses within reach. What is connected to are the addresses
/// that were judged: there is no second look-up in which a name could change.
pub(crate) struct Guard {
    pub(crate) names: Arc<dyn NameResolver>,
    pub(crate) reach: Reach,
}

/// Where a sender may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To public addresses.
    Public,
    /// To this machine as well: for developers.
    PublicAndHere,
}

impl Reach {
    pub(crate) fn allows(self, address: IpAddr) -> bool {
        is_public(address) || (self == Self::PublicAndHere && address.is_loopback())
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, reach) = (self.names.clone(), self.reach);
        Box::pin(async move {
            let addresses = names.look_up(name.as_str()).await?;
            // One bad address among good ones is an attempt to be let through now and then.
            if addresses.iter().all(|it| reach.allows(it.ip())) {
                Ok(Box::new(addresses.into_iter()) as Addrs)
            } else {
                Err(Blocked.into())
            }
        })
    }
}

/// Whether it was the guard that kept a request from being sent.
pub(crate) fn is_blocked(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(it) = cause {
        if it.is::<Blocked>() {
            return true;
        }
        cause = it.source();
    }
    false
}
