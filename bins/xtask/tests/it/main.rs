//! Tests of `cargo xtask`.

mod commits;
mod postgres;
mod retries;
mod usage;
