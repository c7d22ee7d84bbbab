//! Both databases keep the contract of the stores, and each its own promises.

mod postgres;
mod sqlite;
