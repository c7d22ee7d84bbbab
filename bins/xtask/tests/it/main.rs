//! What `cargo xtask` promises to whoever types it.

mod commits;
mod postgres;
mod retries;
mod usage;
