//! E-mails to merchants about disabled endpoints, on a real store with a scripted mail server.

use std::sync::Arc;

use app::{EmailSender, Ports, Rendered, send_due_emails, webhooks};
use chrono::TimeDelta;
use domain::{
    WebhookEndpointId,
    mailing::MailOutcome,
    webhook::{EndpointDisabledEmail, WebhookEndpoint},
};
use futures_util::future::join_all;
use ports::{Clock, Mail};

use crate::{
    crashes::world::World,
    deliver::{ScriptedMailServer, ScriptedResponse},
    webhooks::{ONE, admin, deliver, opened, pass, register, status},
};

/// A world with a mail server.
struct Scene {
    world: World,
    mail_server: Arc<ScriptedMailServer>,
}

impl Scene {
    /// Creates an endpoint that returned the status for that many days, with one sale a day.
    async fn with_failing_endpoint(response: u16, days: u32) -> Self {
        let (world, ports, receivers) = opened().await;
        register(&world, &ports, ONE, &["payment.created"]).await;
        receivers.respond_with(ONE, status(response));
        for _ in 0..days {
            world.open_sale().await;
            pass(&world, &ports, &receivers, TimeDelta::days(1)).await;
        }
        Self { world, mail_server: Arc::default() }
    }

    fn emails(&self) -> EmailSender {
        self.mail_server.emails()
    }

    async fn deliver(&self) -> usize {
        self.mail_server.deliver(&self.world).await
    }

    async fn pass(&self) {
        self.mail_server.pass(&self.world).await;
    }

    fn script(&self, responses: impl IntoIterator<Item = ScriptedResponse>) {
        self.mail_server.responses.lock().unwrap().extend(responses);
    }

    fn mails(&self) -> Vec<Mail> {
        self.mail_server.received.lock().unwrap().clone()
    }

    /// The number of failed e-mails.
    async fn failed_emails(&self) -> u64 {
        self.world.stores.backlog.waiting(self.world.clock.now()).await.unwrap().not_notified.length
    }
}

/// After five days without success one e-mail is sent, also with several workers and restarts.
#[tokio::test]
async fn a_merchant_gets_one_email_about_a_failing_endpoint() {
    let scene = Scene::with_failing_endpoint(503, 7).await;

    // The process that disabled the endpoint has crashed since.
    for _ in 0..3 {
        let (ports, emails) = (scene.world.restart().await, scene.emails());
        let looks = (0..4).map(|_| send_due_emails(&ports, &emails, 10));
        assert!(join_all(looks).await.iter().all(Result::is_ok));
    }
    scene.pass().await;

    let mails = scene.mails();
    let [mail] = mails.as_slice() else { panic!("{} mails", mails.len()) };
    assert_eq!(mail.to.as_str(), "hola@laesquina.example");
    assert!(mail.name.starts_with("event_"), "{}", mail.name);
    assert!(mail.text.contains("Último intento: respondió HTTP 503\n"), "{}", mail.text);
    assert_eq!(scene.failed_emails().await, 0);
}

/// An endpoint that is gone is disabled at once, and reported as well.
#[tokio::test]
async fn a_merchant_gets_an_email_about_a_gone_endpoint() {
    let scene = Scene::with_failing_endpoint(410, 1).await;

    scene.pass().await;

    let mails = scene.mails();
    let [mail] = mails.as_slice() else { panic!("{} mails", mails.len()) };
    assert!(mail.text.contains("respondió 410"), "{}", mail.text);
}

/// A merchant that disabled the endpoint gets no e-mail.
#[tokio::test]
async fn a_merchant_who_disables_an_endpoint_gets_no_email() {
    let (world, ports, receivers) = opened().await;
    let (id, _) = register(&world, &ports, ONE, &["*"]).await;
    switch(&world, &ports, &id, false, "off").await;
    world.open_sale().await;
    assert_eq!(deliver(&ports, &receivers).await, 0);
    let scene = Scene { world, mail_server: Arc::default() };

    scene.pass().await;

    assert_eq!((scene.mails().len(), scene.failed_emails().await), (0, 0));
}

/// Repeatedly disabled endpoints do not fill the merchant's mailbox.
#[tokio::test]
async fn a_merchant_gets_so_many_mails_a_day() {
    let (world, ports, receivers) = opened().await;
    let (id, _) = register(&world, &ports, ONE, &["payment.created"]).await;
    receivers.respond_with(ONE, status(410));
    let scene = Scene { world, mail_server: Arc::default() };
    let off = async |n: u32| {
        if n > 0 {
            switch(&scene.world, &ports, &id, true, &format!("on-{n}")).await;
        }
        scene.world.open_sale().await;
        assert_ne!(deliver(&ports, &receivers).await, 0);
        while scene.deliver().await > 0 {}
    };

    for n in 0..7 {
        off(n).await;
    }
    let (sent, failed_emails) = (scene.mails().len(), scene.failed_emails().await);
    scene.world.clock.advance(EndpointDisabledEmail::PERIOD + TimeDelta::seconds(1));
    off(7).await;

    assert_eq!((sent as u64, failed_emails), (EndpointDisabledEmail::MAX_PER_PERIOD, 2));
    assert_eq!(scene.mails().len(), sent + 1);
}

async fn switch(world: &World, ports: &Ports, id: &WebhookEndpointId, is_enabled: bool, key: &str) {
    let command =
        webhooks::UpdateEndpoint { url: None, enabled_events: None, description: None, is_enabled: Some(is_enabled) };
    let render = |_: &WebhookEndpoint| Rendered { status: 200, etag: None, body: Vec::new() };
    let keyed = world.keyed_as(key.to_owned());
    let response = webhooks::update_webhook_endpoint(ports, &admin(world), &keyed, id.as_str(), command, &render).await;
    response.unwrap();
}

#[tokio::test]
async fn a_deferred_email_is_sent_eight_times_and_then_counted() {
    let scene = Scene::with_failing_endpoint(410, 1).await;
    scene.script((0..30).map(|_| ScriptedResponse::Outcome(MailOutcome::Deferred)));

    scene.pass().await;

    let mails = scene.mails();
    assert_eq!((mails.len(), scene.failed_emails().await), (8, 1));
    assert!(mails.iter().all(|it| *it == mails[0]), "each try is the same mail");
}

/// An e-mail of a crashed process may have been sent: it is repeated once under its identifier, and never again.
#[tokio::test]
async fn an_email_of_a_crashed_worker_is_repeated_once() {
    let scene = Scene::with_failing_endpoint(410, 1).await;
    for deaths in 1..=2 {
        scene.script([ScriptedResponse::Never]);
        let (ports, emails) = (scene.world.ports(None), scene.emails());
        let sending = tokio::spawn(async move { send_due_emails(&ports, &emails, 10).await });
        while scene.mails().len() < deaths {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        sending.abort();
        scene.world.clock.advance(TimeDelta::minutes(6));
        assert_eq!(scene.deliver().await, 1, "its lease is over");
        scene.world.clock.advance(TimeDelta::minutes(2));
    }

    scene.pass().await;

    let mails = scene.mails();
    assert_eq!((mails.len(), scene.failed_emails().await), (2, 1));
    assert_eq!(mails[0], mails[1]);
}
