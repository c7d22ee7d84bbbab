//! One test binary for the crate; one module per subject.

mod breakdown;
mod lines;
mod money;
mod quantity;
mod receipts;
mod tables;
mod tax_id;
mod text;
