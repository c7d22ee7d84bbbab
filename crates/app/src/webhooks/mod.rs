//! Events on their way to merchants' endpoints: claimed, sent, and what came of it.

mod claim;
mod settle;

pub use claim::{InFlight, OutgoingWebhook, claim_webhooks};
pub use settle::{SentWebhook, send_webhook, settle_webhooks};
