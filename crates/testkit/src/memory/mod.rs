//! In-memory fakes.

mod clock;
mod ids;

pub use clock::TestClock;
pub use ids::CountingIds;
