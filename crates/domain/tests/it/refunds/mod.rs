//! Refunds and their credit notes.

mod balance;
mod cases;
mod file;
mod legs;
mod lifecycle;
mod payments;
mod refusals;
mod search;
mod series;
mod words;
mod world;
