//! The contract of the stores on both databases, and tests of each database.

mod exercise;
mod lists;
mod migrations;
mod plans;
mod postgres;
#[macro_use]
mod promises;
mod raw;
mod refunds;
mod sqlite;
mod stages;
mod statements;
mod upgrade;
