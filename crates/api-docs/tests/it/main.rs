//! Tests of the rendered pages.

mod errors;
mod html;
mod interface;
