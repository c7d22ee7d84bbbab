//! Shared test support: sample values, deterministic clock and identifiers, contracts of stores, card providers and tax
//! authorities, hostile requests, and captured logs.

pub mod authority;
pub mod bad_inputs;
pub mod contract;
pub mod database_role;
pub mod json;
pub mod log;
pub mod memory;
pub mod provider;
pub mod response;
pub mod sample;
pub mod unreleased;

mod cuts;
mod has;
