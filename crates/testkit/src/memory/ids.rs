use std::sync::atomic::{AtomicU32, Ordering};

use domain::Symbols;
use ports::Ids;

/// Deterministic identifiers, counted upwards.
///
/// They differ from all [`sample::symbols`](crate::sample::symbols), so that stored samples and new identifiers never
/// collide.
#[derive(Debug, Default)]
pub struct CountingIds {
    names: AtomicU32,
    secrets: AtomicU32,
}

impl CountingIds {
    /// Starts after the `n`th identifier, so that two processes with one store never collide.
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
