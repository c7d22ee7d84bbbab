//! Refunds and their credit notes.

mod cases;
mod world;
