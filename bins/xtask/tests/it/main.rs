//! What `cargo xtask` promises to whoever types it.

mod postgres;
mod retries;
mod usage;
