use std::{
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    address_counts::{AddressCounts, CountedAddress},
    rate_limited::RateLimited,
};

/// Concurrent requests with forms of payers, which may arrive slowly.
pub(super) const PAYERS: usize = 96;
/// Concurrent requests with documents of other taxpayers, counted apart from payers.
pub(super) const TAXPAYERS: usize = 64;
/// One address may hold one in this many permits, because many payers can share an address.
const SHARE: usize = 4;

/// Concurrency limit of requests with bodies, in all and for each address.
#[derive(Clone)]
pub(super) struct PerAddressConcurrency {
    total: Arc<Semaphore>,
    per_address: usize,
    addresses: AddressCounts,
}

/// Permit of one request, freed on drop.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    _total: OwnedSemaphorePermit,
    /// Count of the address until the body is complete.
    address: Mutex<Option<CountedAddress>>,
}

impl PerAddressConcurrency {
    pub(super) fn of(total: usize) -> Self {
        Self { total: Arc::new(Semaphore::new(total)), per_address: total / SHARE, addresses: AddressCounts::default() }
    }

    /// Returns a permit, counted by `address` unless that is `None`.
    pub(super) fn admit(&self, address: Option<IpAddr>) -> Result<ConnectionPermit, RateLimited> {
        let refused = || RateLimited::after("guests", Duration::ZERO);
        let total = self.total.clone().try_acquire_owned().map_err(|_| refused())?;
        let counted = address.map(|address| self.addresses.admit(address, self.per_address).ok_or_else(refused));
        Ok(ConnectionPermit { _total: total, address: Mutex::new(counted.transpose()?) })
    }
}

impl ConnectionPermit {
    /// Ends the count by address once the body is complete: many payers behind one address may wait for a slow
    /// acquirer.
    pub(super) fn release_address(&self) {
        self.address.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_a_quarter_of_the_permits_and_dropping_frees_them() {
        let payers = PerAddressConcurrency::of(PAYERS);
        let address = |n| Some(IpAddr::from([203, 0, 113, n]));

        let mut permits: Vec<ConnectionPermit> = (0..30).filter_map(|_| payers.admit(address(1)).ok()).collect();
        assert_eq!(permits.len(), 24);
        permits.extend((2..250).filter_map(|n| payers.admit(address(n)).ok()));
        assert_eq!(permits.len(), PAYERS);
        assert!(payers.admit(None).is_err());

        permits.iter().for_each(ConnectionPermit::release_address);
        assert!(payers.admit(address(1)).is_err(), "all permits are held");
        drop(permits);
        assert_eq!(payers.addresses.len(), 0);
        assert!((0..PAYERS).all(|_| payers.admit(None).is_ok()));
    }
}
