//! What sends events to merchants' endpoints, and mail to payers and merchants.

use std::sync::Arc;

use app::{EmailSender, EventRecord, Ports};
use async_trait::async_trait;
use notifications::{EmailTemplates, SmtpMailer, SmtpOptions, SystemResolver, WebhookClient, WebhookOptions};
use ports::{Clock, Mailer, WebhookMessage, WebhookOutcome, WebhookSender};
use wire::{EventPayload, PublicUrls, to_bytes};
use worker::{Dispatcher, Worker};

use crate::{
    clock::SystemClock,
    failure::{Context, Done},
};

/// The dispatcher of one process.
pub(crate) fn dispatcher(ports: &Ports, urls: PublicUrls, allows_loopback: bool) -> Done<Dispatcher> {
    let options = WebhookOptions {
        names: Arc::new(SystemResolver),
        allows_loopback,
        connect_timeout: WebhookOptions::CONNECT_TIMEOUT,
        timeout: WebhookOptions::TIMEOUT,
    };
    let sender = InRealTime(WebhookClient::new(options).or_fail("nothing can be sent over TLS")?);
    let spell = move |event: &EventRecord| to_bytes(&EventPayload::new(event, &urls));
    Ok(Dispatcher::new(ports.clone(), Arc::new(sender), Arc::new(spell)))
}

/// Who writes mails, and the server that takes them away, if there is one.
pub(crate) fn post(server: Option<SmtpOptions>) -> Done<Option<EmailSender>> {
    let Some(options) = server else {
        tracing::warn!("no mail server is named: mail waits until one is");
        return Ok(None);
    };
    let server = SmtpMailer::new(options).or_fail("the mail server cannot be used in this way")?;
    Ok(Some(post_by(Arc::new(server))))
}

/// Who writes mails, and who takes them away.
pub(crate) fn post_by(mailer: Arc<dyn Mailer>) -> EmailSender {
    EmailSender { composer: Arc::new(EmailTemplates), mailer }
}

/// The worker, and the post beside it if there is any.
pub(crate) fn with_post(worker: Worker, post: Option<EmailSender>) -> Worker {
    match post {
        Some(post) => worker.with_email(post),
        None => worker,
    }
}

/// Says in each message when it is really sent: receivers compare that with a clock that nobody moves.
struct InRealTime(WebhookClient);

#[async_trait]
impl WebhookSender for InRealTime {
    async fn send(&self, message: WebhookMessage) -> WebhookOutcome {
        self.0.send(WebhookMessage { at: SystemClock.now(), ..message }).await
    }
}
