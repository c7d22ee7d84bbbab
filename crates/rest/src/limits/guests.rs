use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::late::Late;

/// Exchanges at once that bring forms of payers. What they bring may be slow to come, and they hold their places meanwhile.
const PAYERS: usize = 96;
/// The same of what other taxpayers hand over: however many come, no payer is kept from paying.
const TAXPAYERS: usize = 64;
const _: () = assert!(PAYERS + TAXPAYERS < super::AT_ONCE, "there is room for merchants");
/// One part of so many can be of one address. Many payers can be behind one.
const PARTS: usize = 4;

/// How many of a kind are here.
#[derive(Clone)]
pub(super) struct Guests {
    all: Arc<Semaphore>,
    of_an_address: usize,
    addresses: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One who is here, until this is dropped.
#[derive(Debug)]
pub(super) struct Guest {
    _of_all: OwnedSemaphorePermit,
    /// The address that counts the request until its body has arrived.
    address: Mutex<Option<IpAddr>>,
    addresses: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Guests {
    pub(super) fn payers() -> Self {
        Self::at_most(PAYERS)
    }

    pub(super) fn taxpayers() -> Self {
        Self::at_most(TAXPAYERS)
    }

    fn at_most(count: usize) -> Self {
        let of_an_address = count / PARTS;
        Self { all: Arc::new(Semaphore::new(count)), of_an_address, addresses: Arc::default() }
    }

    /// Lets one more in, of that address where addresses are counted.
    pub(super) fn admit(&self, address: Option<IpAddr>) -> Result<Guest, Late> {
        let late = || Late::for_at_least("guests", Duration::ZERO);
        let of_all = self.all.clone().try_acquire_owned().map_err(|_| late())?;
        if let Some(address) = address {
            let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
            let here = addresses.entry(address).or_default();
            if *here >= self.of_an_address {
                return Err(late());
            }
            *here += 1;
        }
        Ok(Guest { _of_all: of_all, address: Mutex::new(address), addresses: self.addresses.clone() })
    }
}

impl Guest {
    /// Marks the body of the request as arrived: its address may send another one. Many payers behind one address may
    /// wait for one slow acquirer.
    pub(super) fn arrived(&self) {
        let Some(address) = self.address.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(here) = addresses.get_mut(&address) {
            *here -= 1;
            if *here == 0 {
                addresses.remove(&address);
            }
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.arrived();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_takes_no_more_than_its_own_and_all_of_them_leave_room_for_merchants() {
        let guests = Guests::payers();
        let address = |n| Some(IpAddr::from([203, 0, 113, n]));

        let mut here: Vec<Guest> = (0..30).filter_map(|_| guests.admit(address(1)).ok()).collect();
        assert_eq!(here.len(), 24);
        here.extend((2..250).filter_map(|n| guests.admit(address(n)).ok()));
        assert_eq!(here.len(), PAYERS);
        assert!(guests.admit(None).is_err());

        here.iter().for_each(Guest::arrived);
        assert!(guests.admit(address(1)).is_err(), "all of them are still here");
        drop(here);
        assert_eq!(guests.addresses.lock().unwrap().len(), 0);
        assert!((0..PAYERS).all(|_| guests.admit(None).is_ok()));
    }
}
