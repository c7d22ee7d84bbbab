//! One test binary for the crate; one module per subject.

mod bench;
mod contract;
mod cuts;
mod dollars;
mod entry;
mod handed;
mod header;
mod items;
mod laws;
mod notes;
mod refusals;
mod rules;
mod schema;
mod signed_by_us;
mod silence;
mod support;
mod texts;
mod totals;
mod vectors;
