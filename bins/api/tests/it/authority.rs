//! A deployment that issues over DGII's protocol: the program on PostgreSQL on one side, the simulated authority as a
//! separate process on the other, which verifies with xmlsec1 and validates documents with the project's schemas.

use std::{fs, path::Path, time::Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    APPROVED_CARD, Client, Created, Database, Output, POLL_TIMEOUT, Server, address, cobro, deployment, pause, sale,
    set_up,
};

struct Deployment {
    folder: TempDir,
    database: Database,
    client: Client,
    server: Server,
    office: String,
    authority: Server,
    http: reqwest::Client,
    merchant: String,
    authority_url: String,
}

impl Deployment {
    /// Starts a deployment with an unavailable authority.
    async fn open(test: &str) -> Self {
        let database = Database::empty(test).await;
        let (folder, settings) = deployment(&database);
        let (merchant, key) = set_up(&database, &folder, true);
        let key_file = folder.path().join("master.key");
        let variables =
            [("COBRO_DATABASE_URL", database.url.as_str()), ("COBRO_MASTER_KEY_FILE", key_file.to_str().unwrap())];
        let range = ["--kind", "fiscal_credit", "--from", "1", "--to", "100", "--valid-until", "2099-12-31"];
        let tenant = ["--merchant", &merchant, "--mode", "test"];
        cobro(&[&["sequence", "add"], &tenant[..], &range[..]].concat(), &variables).json();

        let authority_folder = folder.path().join("authority");
        fs::create_dir(&authority_folder).unwrap();
        let schemas = folder.path().join("schemas");
        fs::create_dir(&schemas).unwrap();
        ecf_schemas::write_all(&schemas).unwrap();
        let schemas = schemas.to_str().unwrap();
        let arguments = ["simulate", "authority", "--listen", "127.0.0.1:0", "--schemas", schemas, "--down"];
        let mut authority = Server::start(&authority_folder, &arguments);
        let ready: Value = serde_json::from_str(&authority.first_line().await).unwrap();
        assert_eq!(ready["validatesSchemas"], true);
        let office = ready["controlUrl"].as_str().unwrap().to_owned();
        let authority_url = ready["url"].as_str().unwrap().to_owned();
        let setting = format!("COBRO_DGII_URLS={authority_url}\n");
        fs::write(&settings, fs::read_to_string(&settings).unwrap() + &setting).unwrap();

        let arguments = ["serve", "--config", &settings, "--with-simulators", "--log", "trace"];
        let server = Server::start(folder.path(), &arguments);
        let client = Client::new(&address(&server).await, &key);
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { folder, database, client, server, office, authority, http, merchant, authority_url }
    }

    async fn behave(&self, manner: &Value) {
        let set = self.http.put(format!("{}manner", self.office)).json(manner).send().await.unwrap();
        assert_eq!(set.status(), 200);
    }

    /// Returns the documents that the authority received, oldest first.
    async fn received(&self) -> Vec<Value> {
        let response: Value =
            self.http.get(format!("{}documents", self.office)).send().await.unwrap().json().await.unwrap();
        response["data"].as_array().unwrap().iter().rev().cloned().collect()
    }

    /// Verifies the signature of a file.
    async fn verify(&self, created: &Created, number: &str) {
        let xml = self.client.bytes(&format!("/v1/fiscal_documents/{}/signed-document", created.document)).await;
        let xml = String::from_utf8(xml).unwrap();
        let path = self.folder.path().join("document.xml");
        let schemas = self.folder.path().join("schemas");
        let broken = self.folder.path().join("broken");
        fs::create_dir_all(&broken).unwrap();
        ecf_schemas::write_all(&broken).unwrap();
        fs::write(broken.join(format!("e-CF {} v.1.0.xsd", &number[1..3])), "<a/>").unwrap();
        let verify = |xml: &str, schemas: &Path| {
            fs::write(&path, xml).unwrap();
            cobro(&["ecf", "verify", path.to_str().unwrap(), "--schemas", schemas.to_str().unwrap()], &[])
        };

        let whole = verify(&xml, &schemas).json();
        let altered = verify(&xml.replace("<MontoTotal>", "<MontoTotal>9"), &schemas);
        let Output { is_success, stdout, stderr } = verify(&xml, &broken);

        assert_eq!((&whole["valid"], &whole["eNcf"], &whole["unchecked"]), (&json!(true), &json!(number), &json!([])));
        assert!(!altered.is_success);
        assert!(altered.stdout.contains(r#""valid":false"#), "{}", altered.stdout);
        assert!(altered.stderr.contains("is not valid. The signature does not hold"), "{}", altered.stderr);
        assert!(!is_success && stdout.is_empty() && stderr.contains("the schemas cannot be used"), "{stdout}{stderr}");
    }

    /// The report states the status of each number and counts numbers by range.
    fn check_report(&self, numbers: &[(&Created, &str)]) {
        let tenant = ["--merchant", &self.merchant, "--mode", "test", "--numbers"];
        let variables = [("COBRO_DATABASE_URL", self.database.url.as_str())];
        let report = cobro(&[&["sequence", "report"], &tenant[..]].concat(), &variables);
        assert!(report.is_success, "{report:?}");
        let mut lines: Vec<Value> = report.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
        let ranges = lines.pop().unwrap();

        for &(created, number) in numbers {
            let line = lines.iter().find(|it| it["number"] == number).unwrap();
            assert_eq!((&line["paymentId"], &line["documentId"]), (&json!(created.payment), &json!(created.document)));
            assert_eq!((&line["status"], &line["revision"]), (&json!("accepted"), &json!(1)));
            assert!(line["decidedAt"].is_string(), "{line}");
        }
        assert_eq!(lines.len(), numbers.len());
        for range in ranges["ranges"].as_array().unwrap() {
            assert_eq!((&range["next"], &range["numbers"]["accepted"]), (&json!(2), &json!(1)), "{range}");
            assert_eq!(range["numbers"]["unused"], 99, "{range}");
        }
    }

    /// The report lists numbers of credit documents in order: single numbers, or bounds.
    fn check_report_of(&self, numbers: &[Value]) {
        let variables = [("COBRO_DATABASE_URL", self.database.url.as_str())];
        let tenant = ["--merchant", &self.merchant, "--mode", "test", "--kind", "fiscal_credit", "--numbers"];
        let report = cobro(&[&["sequence", "report"], &tenant[..]].concat(), &variables);
        let mut lines: Vec<Value> = report.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
        let sums = lines.pop().unwrap();

        let number_of = |it: &Value| match &it["number"] {
            Value::Null => json!([it["from"], it["to"]]),
            number => number.clone(),
        };
        assert_eq!(lines.iter().map(number_of).collect::<Vec<_>>(), numbers);
        let ranges = sums["ranges"].as_array().unwrap();
        let sum = |of: &str, name: &str| ranges.iter().map(|it| it[of][name].as_u64().unwrap()).sum::<u64>();
        let sums = (sum("numbers", "accepted"), sum("numbers", "unused"), sum("annulments", "annulled"));
        assert_eq!(sums, (3, 0, 97), "{ranges:?}");
    }

    /// Returns the annulments with unknown outcome in the plain report.
    fn unresolved(&self) -> Value {
        let variables = [("COBRO_DATABASE_URL", self.database.url.as_str())];
        let report = cobro(&["sequence", "report", "--merchant", &self.merchant, "--mode", "test"], &variables);
        report.json()["unresolvedAnnulments"].clone()
    }

    /// Runs `sequence annul` for the merchant.
    fn annul(&self, arguments: &[&str]) -> Output {
        let key_file = self.folder.path().join("master.key");
        let variables = [
            ("COBRO_DATABASE_URL", self.database.url.as_str()),
            ("COBRO_MASTER_KEY_FILE", key_file.to_str().unwrap()),
            ("COBRO_DGII_URLS", self.authority_url.as_str()),
        ];
        let tenant = ["--merchant", &self.merchant, "--mode", "test"];
        cobro(&[&["sequence", "annul"], &tenant[..], arguments].concat(), &variables)
    }

    async fn paid(&self, name: &str, sale: &Value) -> Created {
        let created = self.client.create_sale(name, sale).await;
        let paid = self.client.pay(&created, APPROVED_CARD, &format!("pay-{name}")).await.unwrap();
        assert_eq!(paid.text("/status"), "succeeded", "{paid:?}");
        created
    }

    /// Waits until the document is delayed.
    async fn delayed(&self, created: &Created) -> Value {
        let begun = Instant::now();
        loop {
            let document = self.client.get(&format!("/v1/fiscal_documents/{}", created.document)).await;
            if document.text("/status") == "delayed" {
                return document.body;
            }
            assert!(begun.elapsed() < POLL_TIMEOUT, "the document is not delayed: {document:?} {}", self.server.log());
            pause().await;
        }
    }
}

/// Sale to a company, with a document that is sent in full.
fn to_a_company(name: &str) -> Value {
    let mut sale = sale(name);
    sale["fiscalDocument"]["kind"] = json!("fiscal_credit");
    sale["fiscalDocument"]["buyer"] = json!({ "identityKind": "domestic", "taxId": "101000007" });
    sale
}

#[tokio::test]
async fn a_paid_sale_is_issued_through_an_authority_that_was_down() {
    let mut deployment = Deployment::open("authority_down").await;

    let small = deployment.paid("small", &sale("small")).await;
    let full = deployment.paid("full", &to_a_company("full")).await;
    let waiting = [deployment.delayed(&small).await, deployment.delayed(&full).await];
    let received_while_down = deployment.received().await.len();
    deployment.behave(&json!({ "inProcess": 1 })).await;
    deployment.database.make_delayed_documents_due().await;
    let issued = [deployment.client.issued(&small).await, deployment.client.issued(&full).await];

    assert_eq!(received_while_down, 0);
    for (waiting, issued) in waiting.iter().zip(&issued) {
        assert_eq!(waiting["problem"]["code"], "authority_unavailable", "{waiting}");
        assert!(issued["fiscalNumber"].is_string() && issued["problem"].is_null(), "{issued}");
    }
    let received = deployment.received().await;
    assert_eq!(received.len(), 2, "{received:?}");
    let mut numbers: Vec<&str> = received.iter().map(|it| it["number"].as_str().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, ["E310000000001", "E320000000001"]);
    assert!(received.iter().all(|it| it["status"] == "accepted"));
    deployment.verify(&full, numbers[0]).await;
    deployment.check_report(&[(&full, numbers[0]), (&small, numbers[1])]);
    deployment.server.stop("TERM").await;
    let (status, _) = deployment.authority.stop("TERM").await;
    assert_eq!(status.code(), Some(0));
    let log = deployment.server.log();
    for secret in ["bearer ", "<MontoTotal>", "SemillaModel", "X509Certificate"] {
        let line = log.lines().find(|it| it.contains(secret));
        assert!(line.is_none(), "the log of {} tells {secret}: {line:?}", deployment.folder.path().display());
    }
}

#[tokio::test]
async fn unused_numbers_are_annulled() {
    let deployment = Deployment::open("annulments").await;
    deployment.behave(&json!({})).await;
    let sold = deployment.paid("first", &to_a_company("first")).await;
    deployment.client.issued(&sold).await;
    let credit = ["--kind", "fiscal_credit", "--range", "1"];

    let used = deployment.annul(&[&credit[..], &["--from", "1"]].concat());
    let between = deployment.annul(&["--kind", "fiscal_credit", "--from", "3", "--to", "4"]).json();
    let mut numbers = Vec::new();
    for name in ["second", "third"] {
        let sold = deployment.paid(name, &to_a_company(name)).await;
        numbers.push(deployment.client.issued(&sold).await["fiscalNumber"].clone());
    }
    let tail = deployment.annul(&["--kind", "fiscal_credit", "--from", "51"]).json();
    deployment.behave(&json!({ "losesAnswers": true })).await;
    let rest = ["--kind", "fiscal_credit", "--range", "5"];
    let lost = deployment.annul(&rest);
    deployment.behave(&json!({})).await;
    let name: Value = serde_json::from_str(lost.stdout.trim()).unwrap();
    let left = deployment.unresolved();
    let resumed = deployment.annul(&["--resume", name["annulmentId"].as_str().unwrap()]).json();
    let exhausted = deployment.annul(&rest);

    assert!(!used.is_success && used.stderr.contains("were assigned to documents"), "{used:?}");
    assert_eq!((&between["status"], &between["from"], &between["to"]), (&json!("annulled"), &json!(3), &json!(4)));
    assert_eq!(numbers, ["E310000000002", "E310000000005"], "what was annulled is stepped over");
    assert_eq!((&tail["status"], &tail["from"], &tail["to"]), (&json!("annulled"), &json!(51), &json!(100)));
    assert!(!lost.is_success && lost.stderr.contains("is unknown"), "{lost:?}");
    assert_eq!((&name["status"], &name["from"], &name["to"]), (&json!("unresolved"), &json!(6), &json!(50)));
    let [left] = left.as_array().unwrap().as_slice() else { panic!("{left}") };
    assert_eq!((&left["annulmentId"], &left["from"], &left["to"]), (&name["annulmentId"], &json!(6), &json!(50)));
    let resume = format!("--resume {}", name["annulmentId"].as_str().unwrap());
    assert!(left["resume"].as_str().unwrap().ends_with(&resume), "{left}");
    assert_eq!((&resumed["status"], &resumed["annulmentId"]), (&json!("annulled"), &name["annulmentId"]));
    assert_eq!(deployment.unresolved(), json!([]));
    assert!(!exhausted.is_success && exhausted.stderr.contains("no number of the range is left"), "{exhausted:?}");
    deployment.check_report_of(&[
        json!("E310000000001"),
        numbers[0].clone(),
        json!([3, 4]),
        numbers[1].clone(),
        json!([6, 50]),
        json!([51, 100]),
    ]);
}

#[test]
fn without_schemas_that_are_there_no_authority_begins() {
    let output = cobro(&["simulate", "authority", "--listen", "127.0.0.1:0", "--schemas", "/nowhere"], &[]);
    let grant = cobro(&["simulate", "authority", "--grant", "130000001:testecf:99:1:2"], &[]);

    assert!(!output.is_success && output.stderr.contains("the schemas cannot be used"), "{output:?}");
    assert!(!grant.is_success && grant.stderr.contains("the type is 31, 32, 34 or 45"), "{grant:?}");
}

#[tokio::test]
async fn dgii_is_never_reached_without_tls_from_another_machine() {
    let database = Database::empty("dgii_plain").await;
    let (_folder, settings) = deployment(&database);

    for urls in ["http://ecf.dgii.gov.do", "ecf.dgii.gov.do", "https://a.example,https://b.example,https://c.example"] {
        let refused = cobro(&["serve", "--config", &settings, "--dgii-urls", urls], &[]);
        assert!(!refused.is_success && refused.stderr.contains("COBRO_DGII_URLS"), "{refused:?}");
    }
}
