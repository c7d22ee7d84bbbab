//! cobro
fn main() {}
