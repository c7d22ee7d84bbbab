//! One test binary for the crate; one module per subject.

mod bench;
mod contract;
mod counter;
mod credentials;
mod cuts;
mod hosts;
mod lists;
mod probe;
mod refund_cuts;
mod silence;
mod unreachable;
