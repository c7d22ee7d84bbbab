use std::sync::atomic::{AtomicU32, Ordering};

use domain::Symbols;
use ports::Ids;

/// Chance without surprise: the first name, the second, and so on.
///
/// None of them is one of [`sample::symbols`](crate::sample::symbols), so that what a test puts
/// into a store and what the tested code names anew never meet.
#[derive(Debug, Default)]
pub struct CountingIds {
    names: AtomicU32,
    secrets: AtomicU32,
}

impl CountingIds {
    /// The names after the `n`th, so that two processes that share a store never meet.
    pub const fn after(n: u32) -> Self {
        Self { names: AtomicU32::new(n), secrets: AtomicU32::new(n) }
    }
}

impl Ids for CountingIds {
    fn generate(&self) -> Symbols {
        let n = self.names.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        spelled(&format!("n{n:025}"))
    }

    fn secret(&self) -> Symbols {
        let n = self.secrets.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        spelled(&format!("s{n:051}"))
    }
}

fn spelled(text: &str) -> Symbols {
    Symbols::parse(text).expect("digits and letters of the alphabet")
}
