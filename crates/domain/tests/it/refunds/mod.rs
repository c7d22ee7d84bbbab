//! Refunds and their credit notes.

mod balance;
mod cases;
mod enums;
mod legs;
mod lifecycle;
mod messages;
mod payments;
mod refunded_sale;
mod refusals;
mod search;
mod series;
mod world;
