use app::{operators::replay_events, webhooks::ReplayWebhooks};
use serde_json::json;

use super::{ports, print, tenant};
use crate::{
    config::EventsCommand,
    failure::{Context, Done, Failure},
};

pub(crate) async fn run(command: EventsCommand) -> Done {
    let EventsCommand::Replay { tenant: options, endpoint, event, since, until, only_failed } = command;
    let request = match (event, since) {
        (Some(event), _) => ReplayWebhooks::Event(event),
        (None, Some(since)) => ReplayWebhooks::Period { since, until, kinds: None, is_only_failed: only_failed },
        (None, None) => return Err(Failure::new("which events: --event or --since is missing")),
    };
    let many = replay_events(&ports(&options.operator).await?, &tenant(&options), &endpoint, request).await;
    print(&json!({ "webhookEndpointId": endpoint, "deliveryCount": many.or_fail("nothing was sent again")? }))
}
