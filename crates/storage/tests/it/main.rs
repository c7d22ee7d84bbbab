//! Both databases keep the contract of the stores, and what each promises beside it.

mod exercise;
mod lists;
mod migrations;
mod plans;
mod postgres;
#[macro_use]
mod promises;
mod raw;
mod sqlite;
mod stages;
mod statements;
