//! What tests share: boring values, fakes that keep time and names in hand, and the contract that
//! every store keeps.

pub mod contract;
pub mod memory;
pub mod sample;
