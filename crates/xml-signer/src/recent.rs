use std::sync::{Arc, Mutex, PoisonError};

/// What was made at some expense and is in use: the most recently used last, a bounded number.
pub(crate) struct Recent<T>(Mutex<Vec<Arc<T>>>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Recent<T> {
    const CAPACITY: usize = 64;

    pub(crate) fn find(&self, is_it: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().rposition(|it| is_it(it))?;
        all[at..].rotate_left(1);
        all.last().cloned()
    }

    /// Remembers one that was made outside the lock: to make one twice is better than to let the others wait.
    pub(crate) fn keep(&self, made: &Arc<T>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == Self::CAPACITY {
            all.remove(0);
        }
        all.push(Arc::clone(made));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_is_remembered_longest() {
        let recent = Recent::default();
        (0..Recent::<usize>::CAPACITY).for_each(|it| recent.keep(&Arc::new(it)));

        assert!(recent.find(|it| *it == 0).is_some());
        recent.keep(&Arc::new(Recent::<usize>::CAPACITY));

        assert_eq!(recent.find(|it| *it == 1), None);
        assert_eq!(
            [0, 2, 64].map(|wanted| recent.find(|it| *it == wanted).map(|it| *it)),
            [Some(0), Some(2), Some(64)]
        );
    }
}
