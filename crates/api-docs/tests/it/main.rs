//! Tests of the rendered pages.

mod errors;
mod interface;
mod look;
