//! The pages from outside.

mod challenge_page;
mod choices_page;
mod payment_page;
mod sessions;
mod summaries;
mod support;
