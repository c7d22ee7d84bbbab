//! Workers on PostgreSQL that are killed again and again while they issue documents.

use std::{collections::BTreeSet, fs, time::Duration};

use serde_json::Value;
use storage::Postgres;
use tempfile::TempDir;
use testkit::{contract::Stores, sample};
use tokio::time::sleep;

use crate::support::{Database, POLL_TIMEOUT, Server, cobro, deployment, make_certificate, pause};

const DOCUMENTS: u32 = 200;
/// Processes that issue at once.
const WORKERS: u64 = 3;
/// Steps of documents in a round; each document takes six. After a round with fewer steps the next rounds take twice as
/// long.
const MIN_STEPS: u64 = 100;
/// After these rounds, and after a kill at every step, workers live longer, so that the test ends.
const ROUNDS: u64 = 12;
/// Life of these workers in milliseconds, as for [`worker_life`].
const LONG_LIFE: u64 = 3_000;
/// Maximum number of rounds, enough for any machine.
const MAX_ROUNDS: u64 = 100;

/// Steps with a certain kill. A signed document is sent in the same moment, unless the queue is full: workers
/// that end there, and everywhere else, are in `crates/app/tests/it/crashes/crowd.rs`.
const CUT_STEPS: [&str; 2] = ["numbered", "sent"];

/// Database with paid sales, and a simulated authority.
struct Deployment {
    folder: TempDir,
    database: Database,
    settings: String,
    _authority: Server,
    authority_control_url: String,
}

impl Deployment {
    /// Creates a database with two hundred paid sales, and starts the authority. No worker runs yet.
    async fn open() -> Self {
        let database = Database::empty("killed").await;
        let (folder, settings) = deployment(&database);
        let url = [("COBRO_DATABASE_URL", database.url.as_str())];
        assert!(cobro(&["migrate"], &url).is_success);
        let stores = Stores::of(Postgres::connect(&database.url).await.unwrap());
        stores.register_merchant().await;
        database.execute("UPDATE number_ranges SET valid_until = '2099-12-31'").await;
        for n in 1..=DOCUMENTS {
            testkit::contract::done(stores.sales.commit(sample::creation(&sample::paid(n))).await, "a new sale");
        }

        let (certificate, key_file) = (folder.path().join("certificate.p12"), folder.path().join("master.key"));
        make_certificate(&certificate, "secret");
        let merchant = sample::merchant_id(1).to_string();
        let arguments = ["certificate", "import", "--merchant", &merchant, "--mode", "test", "--file"];
        let variables =
            [url[0], ("COBRO_MASTER_KEY_FILE", key_file.to_str().unwrap()), ("COBRO_CERTIFICATE_PASSWORD", "secret")];
        cobro(&[&arguments[..], &[certificate.to_str().unwrap()]].concat(), &variables).json();

        let mut authority = Server::start(folder.path(), &["simulate", "authority", "--listen", "127.0.0.1:0"]);
        let ready: Value = serde_json::from_str(&authority.first_line().await).unwrap();
        let setting = format!("COBRO_DGII_URLS={}\n", ready["url"].as_str().unwrap());
        fs::write(&settings, fs::read_to_string(&settings).unwrap() + &setting).unwrap();
        let authority_control_url = ready["controlUrl"].as_str().unwrap().to_owned();
        Self { folder, database, settings, _authority: authority, authority_control_url }
    }

    /// Starts the workers together, and kills one after the other. Afterwards the documents of killed workers are due.
    async fn run_round(&self, round: u64, life: u64) {
        let begin = |index: u64| {
            let folder = self.folder.path().join(format!("{round}-{index}"));
            fs::create_dir(&folder).unwrap();
            Server::start(&folder, &["work", "--config", &self.settings, "--log", "info"])
        };
        let mut workers: Vec<Server> = (0..WORKERS).map(begin).collect();
        for worker in &workers {
            until_worker_runs(worker).await;
        }
        for (index, worker) in (0..).zip(&mut workers) {
            sleep(worker_life(round * WORKERS + index, life)).await;
            worker.kill();
        }
        self.database.make_leased_documents_due().await;
    }

    async fn documents(&self) -> Vec<Value> {
        let rows = self.database.rows("fiscal_documents").await;
        rows.iter().map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    /// Returns the documents with a number.
    async fn numbered(&self) -> BTreeSet<String> {
        let rows = self.database.rows("fiscal_numbers").await;
        let numbers = rows.iter().map(|it| serde_json::from_str::<Value>(it).unwrap());
        numbers.map(|it| it["document"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the numbers of the accepted documents at the authority.
    async fn accepted(&self) -> Vec<String> {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let response: Value =
            http.get(format!("{}documents", self.authority_control_url)).send().await.unwrap().json().await.unwrap();
        let all = response["data"].as_array().unwrap().iter();
        let accepted = all.filter(|it| it["status"] == "accepted");
        accepted.map(|it| it["number"].as_str().unwrap().to_owned()).collect()
    }
}

/// Time until worker `n` is killed: alternately long and short, so that kills happen at different steps.
fn worker_life(n: u64, life: u64) -> Duration {
    Duration::from_millis(life * (n * 37 % 101) / 50)
}

/// Returns the total number of completed steps.
fn steps(documents: &[Value]) -> u64 {
    documents.iter().filter_map(|it| it["version"].as_u64()).sum()
}

async fn until_worker_runs(worker: &Server) {
    let started_at = std::time::Instant::now();
    while !worker.log().contains("working") {
        assert!(started_at.elapsed() < POLL_TIMEOUT, "the worker does not start: {}", worker.log());
        pause().await;
    }
}

/// Step of a document without a running worker; `None` before the first and after the last step.
fn cut_off_at(document: &Value, numbered: &BTreeSet<String>) -> Option<&'static str> {
    let stage: Value = serde_json::from_str(document["stage"].as_str()?).unwrap();
    let issuance = if document["status"] == "delayed" { &stage[0] } else { &stage };
    match document["status"].as_str()? {
        "issued" => None,
        _ if issuance["stage"]["awaiting"] == "verdict" => Some("sent"),
        _ if issuance["stage"]["awaiting"] == "submission" => Some("signed"),
        _ if numbered.contains(document["id"].as_str()?) => Some("numbered"),
        _ => None,
    }
}

#[tokio::test]
async fn two_hundred_documents_survive_workers_that_are_killed_again_and_again() {
    let deployment = Deployment::open().await;
    let (mut round, mut cut_off) = (0, BTreeSet::new());
    let (mut life, mut steps_before) = (100, 0);

    loop {
        let documents = deployment.documents().await;
        // On a slow machine a round completes few steps.
        if steps(&documents).saturating_sub(steps_before) < MIN_STEPS {
            life *= 2;
        }
        steps_before = steps(&documents);
        let numbered = deployment.numbered().await;
        cut_off.extend(documents.iter().filter_map(|it| cut_off_at(it, &numbered)));
        if documents.iter().all(|it| it["status"] == "issued") {
            break;
        }
        if round >= ROUNDS && CUT_STEPS.iter().all(|it| cut_off.contains(it)) {
            life = life.max(LONG_LIFE);
        }
        assert!(round < MAX_ROUNDS, "some documents are never issued: {cut_off:?}");
        deployment.run_round(round, life).await;
        round += 1;
    }

    let expected: Vec<String> = (1..=DOCUMENTS).map(|n| format!("E32{n:010}")).collect();
    let mut numbers: Vec<String> =
        deployment.documents().await.iter().map(|it| it["fiscal_number"].as_str().unwrap().to_owned()).collect();
    numbers.sort();
    let mut accepted = deployment.accepted().await;
    accepted.sort();
    assert_eq!(numbers, expected, "a number is missing or assigned twice");
    assert_eq!(accepted, expected, "a document was lost or accepted twice");
    assert_eq!(deployment.database.rows("fiscal_numbers").await.len(), expected.len(), "a number has no document");
    assert!(CUT_STEPS.iter().all(|it| cut_off.contains(it)), "after {round} rounds: {cut_off:?}");
}
