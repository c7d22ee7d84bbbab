//! Signed webhooks, sent to receivers of every kind.

mod receiver;
mod sending;
