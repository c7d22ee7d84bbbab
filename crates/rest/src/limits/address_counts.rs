use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Counts of concurrent uses by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressCounts(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A counted use, until dropped.
#[derive(Debug)]
pub(crate) struct CountedAddress {
    counts: AddressCounts,
    address: IpAddr,
}

impl AddressCounts {
    /// Counts a use. Returns `None` if the address has `most` uses.
    pub(crate) fn admit(&self, address: IpAddr, most: usize) -> Option<CountedAddress> {
        let mut addresses = self.lock();
        let count = addresses.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(CountedAddress { counts: self.clone(), address })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }
}

impl Drop for CountedAddress {
    fn drop(&mut self) {
        let mut addresses = self.counts.lock();
        if let Some(count) = addresses.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                addresses.remove(&self.address);
            }
        }
    }
}
