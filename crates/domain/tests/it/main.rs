//! One test binary for the crate; one module per subject.

mod account;
mod breakdown;
mod card;
mod choosing;
mod deliveries;
mod document;
mod id;
mod lifecycle;
mod lines;
mod money;
mod number;
mod opening;
mod pages;
mod payment;
mod quantity;
mod receipts;
mod sale;
mod split;
mod support;
mod tables;
mod tax_id;
mod text;
mod tip;
mod verification;
mod webhook;
mod webhook_delivery;
