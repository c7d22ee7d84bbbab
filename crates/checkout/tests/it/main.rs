//! The pages from outside.

mod challenge_page;
mod choices_page;
mod inventory;
mod payment_page;
mod refunds;
mod sessions;
mod shared_page;
mod summaries;
mod support;
mod translation;
