//! Merchants who are to hear that an endpoint of theirs was switched off, on a real store, by a mail server that answers as
//! it is told.

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
    deliver::{Postman, Said},
    webhooks::{ONE, admin, deliver, opened, pass, register, status},
};

/// A world, and a mail server that has sent nothing yet.
struct Scene {
    world: World,
    postman: Arc<Postman>,
}

impl Scene {
    /// An endpoint has answered nothing else for so many days, on each of which something was sold.
    async fn answered(answer: u16, days: u32) -> Self {
        let (world, ports, receivers) = opened().await;
        register(&world, &ports, ONE, &["payment.created"]).await;
        receivers.answer(ONE, status(answer));
        for _ in 0..days {
            world.open_sale().await;
            pass(&world, &ports, &receivers, TimeDelta::days(1)).await;
        }
        Self { world, postman: Arc::default() }
    }

    fn post(&self) -> EmailSender {
        self.postman.post()
    }

    async fn deliver(&self) -> usize {
        self.postman.deliver(&self.world).await
    }

    async fn pass(&self) {
        self.postman.pass(&self.world).await;
    }

    fn answers(&self, answers: impl IntoIterator<Item = Said>) {
        self.postman.answers.lock().unwrap().extend(answers);
    }

    fn mails(&self) -> Vec<Mail> {
        self.postman.got.lock().unwrap().clone()
    }

    /// How many merchants no mail could tell.
    async fn untold(&self) -> u64 {
        self.world.stores.backlog.waiting(self.world.clock.now()).await.unwrap().untold.length
    }
}

/// Five days without anything taken are told by mail, once, whoever looks and whoever starts again before it is sent.
#[tokio::test]
async fn a_merchant_whose_endpoint_took_nothing_for_five_days_gets_one_mail() {
    let scene = Scene::answered(503, 7).await;

    // Whoever switched the endpoint off has died since.
    for _ in 0..3 {
        let (ports, post) = (scene.world.restart().await, scene.post());
        let looks = (0..4).map(|_| send_due_emails(&ports, &post, 10));
        assert!(join_all(looks).await.iter().all(Result::is_ok));
    }
    scene.pass().await;

    let mails = scene.mails();
    let [mail] = mails.as_slice() else { panic!("{} mails", mails.len()) };
    assert_eq!(mail.to.as_str(), "hola@laesquina.example");
    assert!(mail.name.starts_with("event_"), "{}", mail.name);
    assert!(mail.text.contains("Último intento: respondió HTTP 503\n"), "{}", mail.text);
    assert_eq!(scene.untold().await, 0);
}

/// An endpoint that is gone is switched off at once, and that is told, too.
#[tokio::test]
async fn a_merchant_whose_endpoint_is_gone_gets_a_mail() {
    let scene = Scene::answered(410, 1).await;

    scene.pass().await;

    let mails = scene.mails();
    let [mail] = mails.as_slice() else { panic!("{} mails", mails.len()) };
    assert!(mail.text.contains("respondió 410"), "{}", mail.text);
}

/// Who switched it off knows.
#[tokio::test]
async fn a_merchant_who_switches_an_endpoint_off_gets_no_mail() {
    let (world, ports, receivers) = opened().await;
    let (id, _) = register(&world, &ports, ONE, &["*"]).await;
    switch(&world, &ports, &id, false, "off").await;
    world.open_sale().await;
    assert_eq!(deliver(&ports, &receivers).await, 0);
    let scene = Scene { world, postman: Arc::default() };

    scene.pass().await;

    assert_eq!((scene.mails().len(), scene.untold().await), (0, 0));
}

/// Whoever has an endpoint switched off again and again fills nobody's mailbox.
#[tokio::test]
async fn a_merchant_gets_so_many_mails_a_day() {
    let (world, ports, receivers) = opened().await;
    let (id, _) = register(&world, &ports, ONE, &["payment.created"]).await;
    receivers.answer(ONE, status(410));
    let scene = Scene { world, postman: Arc::default() };
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
    let (told, untold) = (scene.mails().len(), scene.untold().await);
    scene.world.clock.advance(EndpointDisabledEmail::PERIOD + TimeDelta::seconds(1));
    off(7).await;

    assert_eq!((told as u64, untold), (EndpointDisabledEmail::MOST, 2));
    assert_eq!(scene.mails().len(), told + 1);
}

async fn switch(world: &World, ports: &Ports, id: &WebhookEndpointId, is_enabled: bool, key: &str) {
    let command =
        webhooks::UpdateEndpoint { url: None, enabled_events: None, description: None, is_enabled: Some(is_enabled) };
    let render = |_: &WebhookEndpoint| Rendered { status: 200, etag: None, body: Vec::new() };
    let keyed = world.keyed_as(key.to_owned());
    let answer = webhooks::update_webhook_endpoint(ports, &admin(world), &keyed, id.as_str(), command, &render).await;
    answer.unwrap();
}

#[tokio::test]
async fn what_is_put_off_is_sent_eight_times_and_then_counted() {
    let scene = Scene::answered(410, 1).await;
    scene.answers((0..30).map(|_| Said::Answer(MailOutcome::NotNow)));

    scene.pass().await;

    let mails = scene.mails();
    assert_eq!((mails.len(), scene.untold().await), (8, 1));
    assert!(mails.iter().all(|it| *it == mails[0]), "each try is the same mail");
}

/// What a process that died had begun may be there: it goes out once more under its name, and never again.
#[tokio::test]
async fn a_mail_whose_sender_died_goes_out_once_more() {
    let scene = Scene::answered(410, 1).await;
    for deaths in 1..=2 {
        scene.answers([Said::Nothing]);
        let (ports, post) = (scene.world.ports(None), scene.post());
        let sending = tokio::spawn(async move { send_due_emails(&ports, &post, 10).await });
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
    assert_eq!((mails.len(), scene.untold().await), (2, 1));
    assert_eq!(mails[0], mails[1]);
}
