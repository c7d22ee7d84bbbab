//! The pages from outside.

mod payment_page;
mod support;
