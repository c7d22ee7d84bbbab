//! What tests share: boring values, fakes that keep time and names in hand, the contract that every
//! store, every card provider and every tax authority keeps, the requests that nobody should send, and what is logged.

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
