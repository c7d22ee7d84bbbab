//! The pages from outside.

mod challenge_page;
mod payment_page;
mod support;
