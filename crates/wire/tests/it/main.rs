//! One test binary for the crate; one module per subject.

mod answers;
mod canonical;
mod create_payment;
mod documents;
mod golden;
mod order;
mod other_requests;
mod payments;
mod reader;
mod submit_card;
mod support;
