use std::sync::{Arc, Mutex, PoisonError};

/// Bounded cache of recently used values; the most recently used is the last.
pub(crate) struct Cache<T>(Mutex<Vec<Arc<T>>>);

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Cache<T> {
    const CAPACITY: usize = 64;

    pub(crate) fn find(&self, is_it: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().rposition(|it| is_it(it))?;
        all[at..].rotate_left(1);
        all.last().cloned()
    }

    /// Inserts a value. It is created outside the lock: a duplicate costs less than blocked callers.
    pub(crate) fn insert(&self, value: &Arc<T>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == Self::CAPACITY {
            all.remove(0);
        }
        all.push(Arc::clone(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_dropped_first() {
        let cache = Cache::default();
        (0..Cache::<usize>::CAPACITY).for_each(|it| cache.insert(&Arc::new(it)));

        assert!(cache.find(|it| *it == 0).is_some());
        cache.insert(&Arc::new(Cache::<usize>::CAPACITY));

        assert_eq!(cache.find(|it| *it == 1), None);
        assert_eq!([0, 2, 64].map(|wanted| cache.find(|it| *it == wanted).map(|it| *it)), [Some(0), Some(2), Some(64)]);
    }
}
