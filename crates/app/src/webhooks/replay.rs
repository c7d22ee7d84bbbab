use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventId, EventKind, WebhookEndpointId,
    rights::Right,
    webhook::{EventSelection, WebhookEndpoint},
};
use ports::{Replay, ReplayedRange, SetupChange, Tenant};

use super::{change_endpoint::decide, change_endpoint::not_found};
use crate::{Caller, Error, IdempotentRequest, Ports, Rendered, Response, events};

/// What a merchant wants to be sent again.
#[derive(Clone, Debug)]
pub enum ReplayWebhooks {
    /// One event.
    Event(EventId),
    /// What was told in a period.
    Period {
        /// From this moment on.
        since: DateTime<Utc>,
        /// Before this moment; up to now if it is not said.
        until: Option<DateTime<Utc>>,
        /// Of these kinds; of what the endpoint selects if it is not said.
        kinds: Option<EventSelection>,
        /// Only what was given up.
        is_only_failed: bool,
    },
}

/// What sets out again.
pub struct QueuedReplay<'a> {
    /// Where to.
    pub endpoint: &'a WebhookEndpoint,
    /// How many events.
    pub many: usize,
    /// What was asked for, as far as this goes.
    pub of: ReplayScope<'a>,
}

/// Which events a replay is of.
pub enum ReplayScope<'a> {
    /// One.
    Event(&'a EventId),
    /// Those of a period.
    Period {
        /// From this moment on.
        since: DateTime<Utc>,
        /// Before this moment.
        until: DateTime<Utc>,
        /// Whether that is all of what was asked for.
        is_complete: bool,
    },
}

/// So many events set out at once; whoever wants more asks again from where this ends.
const MOST: u16 = 1000;

/// Sends events to an endpoint again, or for the first time: each by its own name, as ever, and at once.
pub async fn replay_webhooks(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    id: &str,
    command: ReplayWebhooks,
    render: &(dyn Fn(&QueuedReplay<'_>) -> Rendered + Send + Sync),
) -> Result<Response, Error> {
    caller.may(Right::WebhooksManage)?;
    let tenant = caller.tenant();
    // One that was removed is still known: what was answered before is said again of it, and no more.
    let name = WebhookEndpointId::parse(id).ok_or_else(not_found)?;
    let endpoint = ports.setup.endpoint(&tenant, &name).await?.ok_or_else(not_found)?.endpoint;
    match command {
        ReplayWebhooks::Event(name) => {
            let event = events::get_event(ports, caller, name.as_str()).await?;
            let decision = |to: &WebhookEndpoint, _| {
                let rendered = render(&QueuedReplay { endpoint: to, many: 1, of: ReplayScope::Event(&event.id) });
                let replay = Replay::Event { id: event.id.clone(), kind: event.kind, occurred_at: event.created_at };
                Ok((SetupChange::Replay { endpoint: Box::new(to.clone()), replay }, rendered))
            };
            decide(ports, caller, request, id, &decision).await
        }
        ReplayWebhooks::Period { since, until, kinds, is_only_failed } => {
            let now = ports.clock.now();
            let since = since.max(events::oldest(ports));
            let until = until.unwrap_or(now);
            let selection = kinds.unwrap_or(endpoint.enabled_events);
            let kinds = EventKind::ALL.iter().copied().filter(|it| selection.includes(*it)).collect();
            let asked = ReplayedRange { since, until, kinds, is_only_failed };
            let (range, many) = cut(ports, &tenant, &endpoint.id, asked).await?;
            let decision = |to: &WebhookEndpoint, _| {
                let of = ReplayScope::Period { since, until: range.until, is_complete: range.until == until };
                let rendered = render(&QueuedReplay { endpoint: to, many, of });
                let replay = Replay::Range(range.clone());
                Ok((SetupChange::Replay { endpoint: Box::new(to.clone()), replay }, rendered))
            };
            decide(ports, caller, request, id, &decision).await
        }
    }
}

/// As much of the period as sets out at once, and how many events that is.
async fn cut(
    ports: &Ports,
    tenant: &Tenant,
    endpoint: &WebhookEndpointId,
    asked: ReplayedRange,
) -> Result<(ReplayedRange, usize), Error> {
    let told = ports.webhook_log.replayable(tenant, endpoint, &asked, MOST + 1).await?;
    let Some(first_left_out) = told.get(usize::from(MOST)) else { return Ok((asked, told.len())) };
    // Events of one moment stay together, unless there is no other moment.
    let until = match told.first() {
        Some(first) if first == first_left_out => *first + TimeDelta::milliseconds(1),
        _ => *first_left_out,
    };
    let many = told.iter().filter(|it| **it < until).count();
    Ok((ReplayedRange { until, ..asked }, many))
}
