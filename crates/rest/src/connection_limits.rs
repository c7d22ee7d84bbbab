use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    limits::{AddressCounts, CountedAddress, ipv6_prefix_64},
    proxies::TrustedProxies,
};

/// One address may hold one in this many connections, because many clients can share an address. Idle connections are
/// closed when less than that share is free.
const SHARE: usize = 4;

/// Counts the open connections of a process.
pub(crate) struct ConnectionLimits {
    most: usize,
    proxies: TrustedProxies,
    total: AtomicUsize,
    addresses: AddressCounts,
}

/// A counted connection, until dropped.
pub(crate) struct CountedConnection {
    limits: Arc<ConnectionLimits>,
    _address: Option<CountedAddress>,
}

impl ConnectionLimits {
    pub(crate) fn at_most(most: usize, proxies: TrustedProxies) -> Arc<Self> {
        Arc::new(Self { most, proxies, total: AtomicUsize::new(0), addresses: AddressCounts::default() })
    }

    /// Counts a connection. Returns `None` if the address has too many.
    pub(crate) fn admit(self: &Arc<Self>, peer: Option<SocketAddr>) -> Option<CountedConnection> {
        let address = peer.and_then(|peer| self.proxies.peer(peer)).map(ipv6_prefix_64);
        let counted = match address {
            Some(address) => Some(self.addresses.admit(address, self.most.div_ceil(SHARE))?),
            None => None,
        };
        self.total.fetch_add(1, Ordering::Relaxed);
        Some(CountedConnection { limits: self.clone(), _address: counted })
    }
}

impl CountedConnection {
    /// Whether so many connections are open that idle ones must be closed.
    pub(crate) fn is_pressed(&self) -> bool {
        self.limits.total.load(Ordering::Relaxed) > self.limits.most.saturating_mul(SHARE - 1).div_ceil(SHARE)
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        self.limits.total.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(text: &str) -> Option<SocketAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn one_address_holds_a_quarter_and_closing_frees_connections() {
        let limits = ConnectionLimits::at_most(8, TrustedProxies::none());

        let open: Vec<_> = (0..3).map(|_| limits.admit(peer("203.0.113.9:1"))).collect();
        assert_eq!(open.iter().flatten().count(), 2);
        let same_network = [limits.admit(peer("[2001:db8::1]:1")), limits.admit(peer("[2001:db8::2:1]:1"))];
        assert!(limits.admit(peer("[2001:db8::3]:1")).is_none());
        assert!(limits.admit(peer("203.0.113.10:1")).is_some());

        drop((open, same_network));
        assert_eq!(limits.total.load(Ordering::Relaxed), 0);
        assert_eq!(limits.addresses.len(), 0);
        assert!(limits.admit(peer("203.0.113.9:1")).is_some());
    }

    #[test]
    fn proxies_and_this_machine_have_no_limit_but_count_in_the_total() {
        let limits = ConnectionLimits::at_most(8, TrustedProxies::of(vec!["10.0.0.0/8".parse().unwrap()]));

        let mut open: Vec<_> = (0..3).map(|_| limits.admit(peer("10.1.2.3:1")).unwrap()).collect();
        open.extend((0..3).map(|_| limits.admit(peer("127.0.0.1:1")).unwrap()));
        assert!(!open[0].is_pressed());
        open.push(limits.admit(peer("[::1]:1")).unwrap());

        assert!(open[0].is_pressed());
    }
}
