//! Documents by e-mail, on a real store, with a scripted mail server.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use app::{EmailSender, Rendered, request_delivery, send_due_emails, submit_card};
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    EventId, EventKind, FiscalDocumentId, PaymentId,
    fiscal::{DocumentEmail, DocumentStage, EmailProblem, EmailStatus},
    mailing::{MailOutcome, Mailing},
    text::Email,
};
use notifications::EmailTemplates;
use ports::{Artifact, Clock, DocumentEmailId, Mail, Mailer, MockArtifactStore};

use crate::{
    crashes::{command, world::World},
    support::render,
};

const ROSA: &str = "rosa@correo.example";
const LUIS: &str = "luis@correo.example";

/// A mail server with scripted responses, which accepts afterwards and records each e-mail.
#[derive(Default)]
pub(crate) struct ScriptedMailServer {
    pub(crate) responses: Mutex<VecDeque<ScriptedResponse>>,
    pub(crate) received: Mutex<Vec<Mail>>,
}

pub(crate) enum ScriptedResponse {
    Outcome(MailOutcome),
    /// The server never responds.
    Never,
}

#[async_trait]
impl Mailer for ScriptedMailServer {
    async fn send(&self, mail: Mail) -> MailOutcome {
        self.received.lock().unwrap().push(mail);
        let scripted = self.responses.lock().unwrap().pop_front();
        match scripted {
            None => MailOutcome::Accepted,
            Some(ScriptedResponse::Outcome(outcome)) => outcome,
            Some(ScriptedResponse::Never) => std::future::pending().await,
        }
    }
}

impl ScriptedMailServer {
    pub(crate) fn emails(self: &Arc<Self>) -> EmailSender {
        EmailSender { composer: Arc::new(EmailTemplates), mailer: self.clone() }
    }

    /// Sends due e-mails once. Returns their number.
    pub(crate) async fn deliver(self: &Arc<Self>, world: &World) -> usize {
        send_due_emails(&world.ports(None), &self.emails(), 10).await.unwrap()
    }

    /// Tries whenever a try is due, for two days.
    pub(crate) async fn pass(self: &Arc<Self>, world: &World) {
        let end = world.clock.now() + TimeDelta::days(2);
        loop {
            while self.deliver(world).await > 0 {}
            match world.stores.deliveries.next_due().await.unwrap() {
                Some(due) if due <= end => world.clock.set(due.max(world.clock.now())),
                _ => return,
            }
        }
    }
}

/// A world with a mail server and a sale.
struct Scene {
    world: World,
    mail_server: Arc<ScriptedMailServer>,
    payment: PaymentId,
    document: FiscalDocumentId,
}

impl Scene {
    /// A sale with a requested delivery.
    async fn wanted() -> Self {
        let scene = Self::open().await;
        scene.want(ROSA).await;
        scene
    }

    async fn open() -> Self {
        let world = World::new().await;
        let (payment, _) = world.open_sale().await;
        let document = world.sale(&payment).await.document.facts.id.clone();
        Self { world, mail_server: Arc::default(), payment, document }
    }

    fn script(&self, responses: impl IntoIterator<Item = MailOutcome>) {
        self.mail_server.responses.lock().unwrap().extend(responses.into_iter().map(ScriptedResponse::Outcome));
    }

    fn emails(&self) -> EmailSender {
        self.mail_server.emails()
    }

    async fn want(&self, email: &str) {
        let render = |_: &DocumentEmail| Rendered { status: 202, etag: None, body: Vec::new() };
        let ports = self.world.ports(None);
        let keyed = self.world.keyed_as(format!("{email}-{}", self.world.clock.now().timestamp_micros()));
        let email = Email::parse(email).unwrap();
        let document = self.document.as_str();
        request_delivery(&ports, &self.world.merchant(), &keyed, document, email, &render).await.unwrap();
    }

    /// The card is charged, and the document issued.
    async fn sell(&self) {
        let ports = self.world.ports(None);
        let payer = crate::support::payer_of(&self.world.tenant, &self.payment);
        let keyed = self.world.keyed_as("card".to_owned());
        submit_card(&ports, &payer, &keyed, command(&self.payment, "4222220000000008"), &render).await.unwrap();
        World::pass_two_hours(&self.world.clock, &ports).await;
        let stage = self.world.sale(&self.payment).await.document;
        assert!(matches!(stage.stage(), DocumentStage::Issued(_)), "{stage:?}");
    }

    async fn deliver(&self) -> usize {
        self.mail_server.deliver(&self.world).await
    }

    async fn pass(&self) {
        self.mail_server.pass(&self.world).await;
    }

    async fn mailing(&self, number: u32) -> Mailing {
        let name = DocumentEmailId { tenant: self.world.tenant.clone(), document: self.document.clone(), number };
        self.world.stores.deliveries.find(&name).await.unwrap().expect("the delivery was requested").mailing
    }

    /// The delivery status that the document shows.
    async fn shown(&self) -> &'static str {
        self.world.sale(&self.payment).await.document.state().delivery.status.as_str()
    }

    /// The kinds of the delivery events, in order.
    async fn event_kinds(&self) -> Vec<EventKind> {
        let ids: Vec<EventId> = (1..40).map(|it| EventId::of(&self.payment, it).unwrap()).collect();
        let mut records = self.world.stores.events.find_all(&self.world.tenant, &ids).await.unwrap();
        records.sort_by_key(|it| it.of_sale().map(|it| it.sequence));
        let kinds = [EventKind::FiscalDocumentDeliverySent, EventKind::FiscalDocumentDeliveryFailed];
        records.iter().map(|it| it.kind).filter(|it| kinds.contains(it)).collect()
    }

    fn mails(&self) -> Vec<Mail> {
        self.mail_server.received.lock().unwrap().clone()
    }
}

/// G5: with several workers and restarts.
#[tokio::test]
async fn a_requested_delivery_is_one_email() {
    let scene = Scene::wanted().await;
    assert_eq!(scene.deliver().await, 0, "there is no document yet");
    scene.sell().await;

    for _ in 0..20 {
        let (ports, emails) = (scene.world.restart().await, scene.emails());
        let looks = (0..4).map(|_| send_due_emails(&ports, &emails, 10));
        assert!(futures_util::future::join_all(looks).await.iter().all(Result::is_ok));
    }
    scene.pass().await;

    let mails = scene.mails();
    let [mail] = mails.as_slice() else { panic!("{} mails", mails.len()) };
    assert_eq!((mail.to.as_str(), mail.name.as_str()), (ROSA, format!("{}.1", scene.document).as_str()));
    assert_eq!((scene.shown().await, scene.event_kinds().await), ("sent", vec![EventKind::FiscalDocumentDeliverySent]));
}

#[tokio::test]
async fn an_email_contains_the_stored_document() {
    let scene = Scene::wanted().await;
    scene.sell().await;

    scene.pass().await;

    let sale = scene.world.sale(&scene.payment).await;
    let DocumentStage::Issued(issued) = sale.document.stage() else { panic!("it was issued") };
    let ports = scene.world.ports(None);
    let digests: Vec<_> = scene.mails()[0].attachments.iter().map(|it| ports.vault.digest(&it.bytes)).collect();
    assert_eq!(digests, [issued.signed.sha256, issued.signed.printed.as_ref().unwrap().sha256]);
}

#[tokio::test]
async fn each_wish_is_a_mail_of_its_own_and_the_document_shows_the_last() {
    let scene = Scene::wanted().await;
    scene.sell().await;
    let no = MailOutcome::Rejected(EmailProblem::MailboxUnavailable);
    scene.script([no]);

    // One after the other: of two that are due at once either may be sent first.
    assert_eq!(scene.deliver().await, 1);
    scene.want(LUIS).await;
    scene.pass().await;

    let recipients: Vec<_> = scene.mails().iter().map(|it| it.to.as_str().to_owned()).collect();
    assert_eq!(recipients, [ROSA, LUIS]);
    assert!(matches!(scene.mailing(1).await.status, EmailStatus::Failed { .. }));
    assert_eq!(scene.shown().await, "sent");
    let kinds = vec![EventKind::FiscalDocumentDeliveryFailed, EventKind::FiscalDocumentDeliverySent];
    assert_eq!(scene.event_kinds().await, kinds);
}

#[tokio::test]
async fn a_deferred_email_is_reported_once_it_is_sent_or_failed() {
    let (taken, given_up) = (Scene::wanted().await, Scene::wanted().await);
    taken.script([MailOutcome::Deferred; 3]);
    given_up.script([MailOutcome::Deferred; 30]);

    for (scene, mails, shown, event) in [
        (taken, 4, "sent", EventKind::FiscalDocumentDeliverySent),
        (given_up, 8, "failed", EventKind::FiscalDocumentDeliveryFailed),
    ] {
        scene.sell().await;
        assert_eq!(scene.deliver().await, 1);
        assert_eq!((scene.shown().await, scene.event_kinds().await), ("queued", vec![]));
        scene.pass().await;

        assert_eq!(scene.mails().len(), mails);
        assert!(scene.mails().iter().all(|it| *it == scene.mails()[0]), "each try is the same mail");
        assert_eq!((scene.shown().await, scene.event_kinds().await), (shown, vec![event]));
    }
}

/// An e-mail of a crashed process may have been sent: it is repeated once under its identifier, and never again.
#[tokio::test]
async fn an_email_of_a_crashed_worker_is_repeated_once() {
    let scene = Scene::wanted().await;
    scene.sell().await;
    for deaths in 1..=2 {
        scene.mail_server.responses.lock().unwrap().push_back(ScriptedResponse::Never);
        let (ports, emails) = (scene.world.ports(None), scene.emails());
        let sending = tokio::spawn(async move { send_due_emails(&ports, &emails, 10).await });
        while scene.mails().len() < deaths {
            tokio::task::yield_now().await;
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        assert!(scene.mailing(1).await.is_sending, "it is written down before it goes out");
        sending.abort();
        scene.world.clock.advance(TimeDelta::minutes(6));
        assert_eq!(scene.deliver().await, 1, "its lease is over");
        scene.world.clock.advance(TimeDelta::minutes(2));
    }

    scene.pass().await;

    let mails = scene.mails();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0], mails[1]);
    let EmailStatus::Failed { code, .. } = scene.mailing(1).await.status else { panic!("the status is not failed") };
    assert_eq!(code, EmailProblem::AttemptsExhausted);
    assert_eq!(scene.event_kinds().await, [EventKind::FiscalDocumentDeliveryFailed]);
}

/// A worker does not change the outcome after the end of its lease.
#[tokio::test]
async fn a_late_response_does_not_change_the_delivery() {
    struct Slow(Arc<World>, Arc<ScriptedMailServer>);
    #[async_trait]
    impl Mailer for Slow {
        async fn send(&self, mail: Mail) -> MailOutcome {
            self.0.clock.advance(TimeDelta::minutes(6));
            let emails = EmailSender { composer: Arc::new(EmailTemplates), mailer: self.1.clone() };
            assert_eq!(send_due_emails(&self.0.ports(None), &emails, 10).await.unwrap(), 1);
            self.1.send(mail).await
        }
    }
    let scene = Scene::wanted().await;
    scene.sell().await;
    let Scene { world, mail_server, payment, document } = scene;
    let world = Arc::new(world);
    let slow =
        EmailSender { composer: Arc::new(EmailTemplates), mailer: Arc::new(Slow(world.clone(), mail_server.clone())) };

    assert_eq!(send_due_emails(&world.ports(None), &slow, 10).await.unwrap(), 1);

    let name = DocumentEmailId { tenant: world.tenant.clone(), document, number: 1 };
    let mailing = world.stores.deliveries.find(&name).await.unwrap().unwrap().mailing;
    assert_eq!((mailing.status.as_str(), mailing.unknown_outcomes), ("queued", 1), "it was taken for one in doubt");
    assert_eq!(world.sale(&payment).await.document.state().delivery.status.as_str(), "queued");
}

#[tokio::test]
async fn a_damaged_copy_is_never_mailed() {
    let scene = Scene::wanted().await;
    scene.sell().await;
    let mut ports = scene.world.ports(None);
    let mut spoilt = MockArtifactStore::new();
    spoilt.expect_find().returning(|_, document, revision, kind| {
        let bytes = b"something else".to_vec();
        Ok(Some(Artifact { document: document.clone(), revision, kind, sha256: [0; 32], bytes }))
    });
    ports.artifacts = Arc::new(spoilt);

    assert_eq!(send_due_emails(&ports, &scene.emails(), 10).await.unwrap(), 1);
    assert_eq!((scene.mails().len(), scene.mailing(1).await.attempts, scene.deliver().await), (0, 0, 0));
    scene.pass().await;

    assert_eq!((scene.mails().len(), scene.shown().await), (1, "sent"));
}

#[tokio::test]
async fn a_delivery_fails_without_an_issued_document() {
    let scene = Scene::wanted().await;

    World::pass(&scene.world.clock, &scene.world.ports(None), TimeDelta::days(2)).await;
    scene.pass().await;

    assert_eq!((scene.mails().len(), scene.shown().await), (0, "canceled"));
    assert_eq!(scene.mailing(1).await.status, EmailStatus::Canceled);
}

/// Without a mail server for a week, old requests are not sent.
#[tokio::test]
async fn an_email_fails_after_a_week_without_a_mail_server() {
    let scene = Scene::wanted().await;
    scene.sell().await;
    scene.world.clock.advance(TimeDelta::days(8));

    scene.pass().await;

    assert_eq!((scene.mails().len(), scene.shown().await), (0, "failed"));
    assert_eq!(scene.event_kinds().await, [EventKind::FiscalDocumentDeliveryFailed]);
}
