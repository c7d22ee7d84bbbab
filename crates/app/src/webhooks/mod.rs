//! Webhooks: endpoints of merchants, and the delivery of events to them.

mod change_endpoint;
mod claim;
mod create_endpoint;
mod read_endpoints;
mod replay;
mod settle;

pub use change_endpoint::{
    delete_webhook_endpoint, rotate_webhook_secret, test_webhook_endpoint, update_webhook_endpoint,
};
pub use claim::{InFlight, OutgoingWebhook, claim_webhooks};
pub use create_endpoint::{CreatedEndpoint, create_webhook_endpoint};
pub use read_endpoints::{get_webhook_endpoint, list_webhook_deliveries, list_webhook_endpoints};
pub use replay::{QueuedReplay, ReplayScope, replay_webhooks};
pub use settle::{SentWebhook, send_webhook, settle_webhooks};

// Requests of these use cases.
pub use domain::webhook::{CreateEndpoint, ReplayWebhooks, UpdateEndpoint};
