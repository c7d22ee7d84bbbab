//! One test binary for the crate; one module per subject.

mod counter;
mod unreachable;
