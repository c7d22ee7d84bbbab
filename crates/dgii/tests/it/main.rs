//! One test binary for the crate; one module per subject.
//!
//! The tests of `official_schema` and `vectors` read the authority's schemas and the signed examples
//! beside them from the folder `ECF_SCHEMA_DIR`, and fail without it.

mod bench;
mod contract;
mod cuts;
mod dollars;
mod entry;
mod handed;
mod header;
mod items;
mod laws;
mod official_schema;
mod refusals;
mod rules;
mod signed_by_us;
mod silence;
mod support;
mod texts;
mod totals;
mod vectors;
