//! What tests share: boring values, fakes that keep time and names in hand, the contract that every
//! store, every card provider and every tax authority keeps, and the requests that nobody should send.

pub mod answer;
pub mod authority;
pub mod bad_inputs;
pub mod contract;
pub mod held;
pub mod json;
pub mod memory;
pub mod provider;
pub mod sample;

mod has;
