//! What sends events to merchants' endpoints.

use std::sync::Arc;

use app::{EventRecord, Ports};
use async_trait::async_trait;
use outbound::{Options, SystemNames, Webhooks};
use ports::{Clock, WebhookAnswer, WebhookMessage, WebhookSender};
use wire::{Event, Site, to_bytes};
use worker::Dispatcher;

use crate::{
    clock::SystemClock,
    failure::{Context, Done},
};

/// The dispatcher of one process.
pub(crate) fn dispatcher(ports: &Ports, site: Site, allows_loopback: bool) -> Done<Dispatcher> {
    let options = Options {
        names: Arc::new(SystemNames),
        allows_loopback,
        connect_timeout: Options::CONNECT_TIMEOUT,
        timeout: Options::TIMEOUT,
    };
    let sender = InRealTime(Webhooks::new(options).or_fail("nothing can be sent over TLS")?);
    let spell = move |event: &EventRecord| to_bytes(&Event::new(event, &site));
    Ok(Dispatcher::new(ports.clone(), Arc::new(sender), Arc::new(spell)))
}

/// Says in each message when it is really sent: receivers compare that with a clock that nobody moves.
struct InRealTime(Webhooks);

#[async_trait]
impl WebhookSender for InRealTime {
    async fn send(&self, message: WebhookMessage) -> WebhookAnswer {
        self.0.send(WebhookMessage { at: SystemClock.now(), ..message }).await
    }
}
