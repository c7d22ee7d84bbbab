//! Senders of webhooks and e-mail.

use std::sync::Arc;

use app::{EmailSender, EventRecord, Ports};
use async_trait::async_trait;
use notifications::{EmailTemplates, NameResolver, SmtpMailer, SmtpOptions, WebhookClient, WebhookOptions};
use ports::{Clock, Mailer, WebhookMessage, WebhookOutcome, WebhookSender};
use rest::Metrics;
use wire::{EventPayload, PublicUrls, to_bytes};
use worker::{Dispatcher, Worker};

use crate::{
    clock::SystemClock,
    failure::{Context, Done},
};

/// The dispatcher of one process.
pub(crate) fn dispatcher(
    ports: &Ports,
    urls: PublicUrls,
    names: Arc<dyn NameResolver>,
    allows_loopback: bool,
) -> Done<Dispatcher> {
    let sender = InRealTime(
        WebhookClient::new(WebhookOptions::new(names, allows_loopback)).or_fail("nothing can be sent over TLS")?,
    );
    let spell = move |event: &EventRecord| to_bytes(&EventPayload::new(event, &urls));
    Ok(Dispatcher::new(ports.clone(), Arc::new(sender), Arc::new(spell)))
}

/// Templates of e-mails, and the mail server if set.
pub(crate) fn post(server: Option<SmtpOptions>) -> Done<Option<EmailSender>> {
    let Some(options) = server else {
        tracing::warn!("no mail server is named: mail waits until one is");
        return Ok(None);
    };
    let server = SmtpMailer::new(options).or_fail("the mail server cannot be used in this way")?;
    Ok(Some(post_by(Arc::new(server))))
}

/// Templates of e-mails, and the transport.
pub(crate) fn post_by(mailer: Arc<dyn Mailer>) -> EmailSender {
    EmailSender { composer: Arc::new(EmailTemplates), mailer }
}

/// The worker of one process. Returns at providers that name no charge are counted in `metrics`.
pub(crate) fn worker(ports: &Ports, dispatcher: Dispatcher, metrics: &Metrics) -> Worker {
    let metrics = metrics.clone();
    let count = move |unmatched| metrics.returns_unmatched(unmatched);
    Worker::new(ports.clone()).with(dispatcher).with_unmatched(Box::new(count))
}

/// Runs the worker, and the mailer if there is a server.
pub(crate) fn with_post(worker: Worker, post: Option<EmailSender>) -> Worker {
    match post {
        Some(post) => worker.with_email(post),
        None => worker,
    }
}

/// Signs with the real time: receivers compare the timestamp with their own clock.
struct InRealTime(WebhookClient);

#[async_trait]
impl WebhookSender for InRealTime {
    async fn send(&self, message: WebhookMessage) -> WebhookOutcome {
        self.0.send(WebhookMessage { at: SystemClock.now(), ..message }).await
    }
}
