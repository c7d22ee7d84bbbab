use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::TrustedProxies;

/// One address may hold one in this many connections, because many clients can share an address. Idle connections are
/// closed once less than that share is free.
const PARTS: usize = 4;

/// Counts the open connections of a process.
pub(crate) struct Connections {
    most: usize,
    proxies: TrustedProxies,
    all: AtomicUsize,
    addresses: Mutex<HashMap<IpAddr, usize>>,
}

/// A counted connection; dropping it ends the count.
pub(crate) struct Connection {
    among: Arc<Connections>,
    address: Option<IpAddr>,
}

impl Connections {
    pub(crate) fn at_most(most: usize, proxies: TrustedProxies) -> Arc<Self> {
        Arc::new(Self { most, proxies, all: AtomicUsize::new(0), addresses: Mutex::default() })
    }

    /// Counts one connection. Returns `None` if its address has too many.
    pub(crate) fn admit(self: &Arc<Self>, peer: Option<SocketAddr>) -> Option<Connection> {
        let address = peer.and_then(|it| self.proxies.peer(it)).map(network);
        if let Some(address) = address {
            let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
            let count = addresses.entry(address).or_default();
            if *count >= self.most.div_ceil(PARTS) {
                return None;
            }
            *count += 1;
        }
        self.all.fetch_add(1, Ordering::Relaxed);
        Some(Connection { among: self.clone(), address })
    }
}

impl Connection {
    /// Whether so many connections are open that idle ones must be closed.
    pub(crate) fn is_pressed(&self) -> bool {
        self.among.all.load(Ordering::Relaxed) > self.among.most.saturating_mul(PARTS - 1).div_ceil(PARTS)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.among.all.fetch_sub(1, Ordering::Relaxed);
        let Some(address) = self.address else { return };
        let mut addresses = self.among.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = addresses.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                addresses.remove(&address);
            }
        }
    }
}

/// Returns the address to count by: for IPv6, the network of one customer.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(it) => IpAddr::V6(Ipv6Addr::from_bits(it.to_bits() & !u128::from(u64::MAX))),
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
        let connections = Connections::at_most(8, TrustedProxies::none());

        let held: Vec<_> = (0..3).map(|_| connections.admit(peer("203.0.113.9:1"))).collect();
        assert_eq!(held.iter().flatten().count(), 2);
        let same_customer = [connections.admit(peer("[2001:db8::1]:1")), connections.admit(peer("[2001:db8::2:1]:1"))];
        assert!(connections.admit(peer("[2001:db8::3]:1")).is_none());
        assert!(connections.admit(peer("203.0.113.10:1")).is_some());

        drop((held, same_customer));
        assert_eq!(connections.all.load(Ordering::Relaxed), 0);
        assert!(connections.addresses.lock().unwrap().is_empty());
        assert!(connections.admit(peer("203.0.113.9:1")).is_some());
    }

    #[test]
    fn proxies_and_this_machine_have_no_limit_but_count_in_the_total() {
        let connections = Connections::at_most(8, TrustedProxies::of(vec!["10.0.0.0/8".parse().unwrap()]));

        let mut held: Vec<_> = (0..3).map(|_| connections.admit(peer("10.1.2.3:1")).unwrap()).collect();
        held.extend((0..3).map(|_| connections.admit(peer("127.0.0.1:1")).unwrap()));
        assert!(!held[0].is_pressed());
        held.push(connections.admit(peer("[::1]:1")).unwrap());

        assert!(held[0].is_pressed());
    }
}
