//! Fakes that live in memory.

mod clock;
mod ids;

pub use clock::TestClock;
pub use ids::CountingIds;
