//! One test binary for the crate; one module per subject.

mod authority_amounts;
mod authority_contract;
mod authority_examines;
mod authority_journal;
mod authority_judges;
mod authority_numbers;
mod authority_refusals;
mod authority_signature;
mod authority_wishes;
mod cards;
mod clock;
mod composed;
mod contract;
mod directory;
mod doubt;
mod faults;
mod holds;
mod ledger;
mod mail;
mod opening;
mod paper;
mod till;
mod web;
mod web_checks;
mod web_secure;
mod web_vault;
