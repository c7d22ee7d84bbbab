//! Database work of a whole sale through API and worker, by stage: statements, round trips, transactions that write, and
//! bytes of the write-ahead log. They do not depend on the machine.

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use app::EventRecord;
use async_trait::async_trait;
use ports::{WebhookMessage, WebhookOutcome, WebhookSender};
use rest::State;
use wire::{EventPayload, to_bytes};
use worker::{Dispatcher, Worker};

use crate::support::{
    APPROVED_CARD, Backend, Logged, Request, TestResponse, World, WriteAheadLog, card, install_recorder,
    record_statements_of, round_trips, token_request,
};

/// Sales before the measured ones, until each statement has its plan.
const WARM_UP: usize = 8;
/// A maximum exceeds the measured work by less than so many kilobytes.
const SLACK: i64 = 3;
/// Measured sales. A page of an index that becomes full is a part of each.
const SALES: usize = 40;

/// Characters of a statement that a failure shows.
const SHOWN: usize = 120;

/// Events that the endpoint receives.
const ENDPOINT: &str =
    r#"{"url":"https://hooks.example.do/cobro","enabledEvents":["payment.succeeded","fiscal_document.issued"]}"#;

/// A stage of a sale with its part of the goal in milliseconds of the processor.
const STAGES: [(&str, &str, Work); 6] = [
    ("create", "0.6", (7, 3, 1, 15)),
    ("checkout token", "in create", (4, 4, 1, 2)),
    ("card", "1.0", (9, 5, 2, 20)),
    ("document: number, signature, PDF, submission", "2.1", (10, 10, 4, 31)),
    ("two webhooks", "0.14", (10, 9, 2, 3)),
    ("receipt page", "", (5, 5, 1, 1)),
];

/// Statements, round trips and writing transactions of a stage, and the maximum of kilobytes that it adds to the log.
type Work = (usize, usize, i64, i64);

/// The work of one stage of one sale.
#[derive(Clone, Debug, Default)]
struct Used {
    round_trips: Vec<Vec<String>>,
    logged: Logged,
}

/// Endpoint that accepts every event.
struct Accepting;

#[async_trait]
impl WebhookSender for Accepting {
    async fn send(&self, _: WebhookMessage) -> WebhookOutcome {
        WebhookOutcome::Answered { status: 204, retry_after: None }
    }
}

/// A merchant with an endpoint, and a worker that runs only by hand.
struct Shop {
    world: World,
    log: WriteAheadLog,
    /// Without webhooks.
    issuer: Worker,
    dispatcher: Worker,
    body: String,
}

impl Shop {
    async fn open() -> Self {
        let mut world = Backend::Postgres.world().await;
        // On a slow machine, renewals of the lease must not add statements.
        world.lease_renewal = State::LEASE_RENEWAL;
        let admin = world.admin().await;
        world.done(&Request::post("/v1/webhook_endpoints", &admin, ENDPOINT)).await;
        let urls = world.state().urls;
        let spell = move |event: &EventRecord| to_bytes(&EventPayload::new(event, &urls));
        let dispatcher = Dispatcher::new(world.ports.clone(), Arc::new(Accepting), Arc::new(spell));
        let body = include_str!("../../../../fixtures/bench/payment.json");
        Self {
            log: WriteAheadLog::of(world.home.database().unwrap()).await,
            issuer: Worker::new(world.ports.clone()),
            dispatcher: Worker::new(world.ports.clone()).with(dispatcher),
            body: body.replace(r#""deliveryEmail":"cliente@correo.example","#, ""),
            world,
        }
    }

    /// Makes a sale. Returns the work of each stage.
    async fn sell(&mut self, number: usize) -> Vec<Used> {
        let key = self.world.one.key.clone();
        let mut all = Vec::new();
        self.used().await;

        let body =
            self.body.replace("MESA-12", &format!("MESA-{number}")).replace("000000001", &format!("{number:09}"));
        let created = self.world.done(&Request::post("/v1/payments", &key, body)).await;
        all.push(self.used().await);

        let request = token_request(&created.field("/checkoutReference"), "pay");
        let token = self.world.done(&Request::post("/v1/checkout_tokens", &key, request)).await.field("/token");
        all.push(self.used().await);

        let path = format!("/v1/payments/{}", created.field("/id"));
        let submission = Request::post(format!("{path}/card-submissions"), &token, card(APPROVED_CARD));
        assert_eq!(self.world.done(&submission).await.field("/status"), "succeeded");
        all.push(self.used().await);

        self.issuer.drain().await.unwrap();
        all.push(self.used().await);

        self.dispatcher.drain().await.unwrap();
        all.push(self.used().await);

        self.open_receipt(&created).await;
        all.push(self.used().await);

        let sale = self.world.done(&Request::get(path, &key)).await;
        let document = &sale.json()["fiscalDocument"];
        assert_eq!((&document["status"], &document["acceptance"]), (&"issued".into(), &"accepted".into()));
        assert!(document["artifacts"]["printedRepresentation"].is_object(), "{document}");
        all
    }

    /// Opens the receipt page as a payer does.
    async fn open_receipt(&self, created: &TestResponse) {
        let link = Request::bare("GET", format!("/r/{}", created.field("/checkoutReference")));
        let opened = self.world.send(&link).await;
        let cookie = opened.header("set-cookie").split(';').next().unwrap().to_owned();
        let page = self.world.send(&Request::bare("GET", opened.header("location")).and("cookie", cookie)).await;
        assert_eq!((opened.status, page.status), (303, 200), "{}", page.text());
    }

    /// Returns the work since the last call.
    async fn used(&mut self) -> Used {
        let begins = |statement: String| statement.chars().take(SHOWN).collect();
        let round_trips = round_trips().into_iter().map(|it| it.into_iter().map(begins).collect()).collect();
        Used { round_trips, logged: self.log.read().await }
    }
}

#[actix_web::test]
async fn a_whole_sale_stays_within_its_database_work() {
    install_recorder();
    let mut shop = Shop::open().await;
    let _turn = record_statements_of(&shop.world.home.address()).await;
    for number in 0..WARM_UP {
        shop.sell(number).await;
    }

    let mut sales = Vec::new();
    for number in WARM_UP..WARM_UP + SALES {
        sales.push(shop.sell(number).await);
    }

    let stages = (0..STAGES.len()).map(|place| sales.iter().map(|it| &it[place]).collect::<Vec<_>>());
    let stages: Vec<_> = stages.collect();
    let measured: Vec<Work> = STAGES.iter().zip(&stages).map(|(stage, used)| measure(stage.0, used)).collect();
    for (place, (name, _, (statements, trips, commits, kilobytes))) in STAGES.into_iter().enumerate() {
        let (now, trips_now) = (measured[place], &stages[place][0].round_trips);
        assert_eq!((now.0, now.1, now.2), (statements, trips, commits), "{name}: {trips_now:#?}\nall: {measured:?}");
        assert!(now.3 <= kilobytes, "{name} adds {} kB: {measured:?}", now.3);
        // A maximum far above the work would hide growth. A copy of a page takes the place of other bytes.
        assert!(now.3 + SLACK > kilobytes || !shop.log.is_without_pages, "{name} adds only {} kB: {measured:?}", now.3);
    }
    check_page(&page());
}

/// Returns the work of a stage: the same counts in each sale, and the mean of the bytes, rounded up.
fn measure(name: &str, used: &[&Used]) -> Work {
    let counts = |used: &Used| {
        let statements = used.round_trips.iter().map(Vec::len).sum::<usize>();
        (statements, used.round_trips.len(), used.logged.commits)
    };
    let (statements, trips, commits) = counts(used[0]);
    for it in used {
        assert_eq!(counts(it), (statements, trips, commits), "{name} differs: {:#?}\n{it:#?}", used[0]);
    }
    let bytes = used.iter().map(|it| it.logged.bytes).sum::<i64>();
    (statements, trips, commits, (bytes / i64::try_from(used.len()).unwrap() + 999) / 1000)
}

fn page() -> String {
    let mut page = String::from(
        "# A whole sale\n\nDatabase work of a sale through API and worker on PostgreSQL, with authentication and with the looks of a worker\n\
         that find no more work. Statements that name the tenant are not counted: they are part of each round trip. Commits\n\
         are transactions that wrote; kB of the log are a maximum, without copies of pages after a checkpoint.\n\n\
         | stage | goal ms | statements | round trips | commits | kB of the log |\n|---|---|---|---|---|---|\n",
    );
    let mut sum = (0, 0, 0, 0);
    for (name, goal, (statements, trips, commits, kilobytes)) in STAGES {
        writeln!(page, "| {name} | {goal} | {statements} | {trips} | {commits} | {kilobytes} |").unwrap();
        sum = (sum.0 + statements, sum.1 + trips, sum.2 + commits, sum.3 + kilobytes);
    }
    writeln!(page, "| **whole sale** | 3.84 | {} | {} | {} | {} |", sum.0, sum.1, sum.2, sum.3).unwrap();
    page
}

#[track_caller]
fn check_page(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/whole-sale.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, page).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "{} is stale: run `cargo xtask update`", path.display());
}
