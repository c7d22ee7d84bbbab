//! The pages, as a reader and a browser take them.

mod errors;
mod interface;
mod look;
