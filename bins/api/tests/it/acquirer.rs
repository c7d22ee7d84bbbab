//! A deployment that charges over AZUL's protocol: the program on PostgreSQL on one side, the simulated
//! acquirer as a separate process on the other, and mutual TLS between them.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    APPROVED_CARD, Client, Created, Database, POLL_TIMEOUT, Server, TlsFiles, address, cobro, deployment, set_up,
};

/// Secrets that only the acquirer may receive.
const AUTH: [&str; 2] = ["canary-of-the-first-half", "canary-of-the-second-half"];

struct Deployment {
    folder: TempDir,
    tls_files: TlsFiles,
    database: Database,
    merchant: String,
    client: Client,
    server: Server,
    acquirer: Server,
}

impl Deployment {
    async fn open(test: &str) -> Self {
        let database = Database::empty(test).await;
        let (folder, settings) = deployment(&database);
        let (merchant, _) = set_up(&database, &folder, false);
        let tls_files = TlsFiles::make(folder.path(), &["one"]);
        let acquirer_folder = folder.path().join("acquirer");
        fs::create_dir(&acquirer_folder).unwrap();
        let path = |name: &str| tls_files.path(name);
        let journal = path("acquirer.journal");
        let tls = ["--tls-certificate", &path("server.pem"), "--tls-key", &path("server.key")].map(str::to_owned);
        let known = ["--client-ca-file", &path("ca.pem"), "--auth1", AUTH[0], "--auth2", AUTH[1]].map(str::to_owned);
        let begin = ["simulate", "acquirer", "--listen", "127.0.0.1:0", "--journal", &journal].map(str::to_owned);
        let arguments: Vec<&str> = begin.iter().chain(&tls).chain(&known).map(String::as_str).collect();
        let mut acquirer = Server::start(&acquirer_folder, &arguments);
        let ready: Value = serde_json::from_str(&acquirer.first_line().await).unwrap();
        let url = ready["url"].as_str().unwrap();
        let settings_of_azul = format!("COBRO_AZUL_TEST_URLS={url}\nCOBRO_AZUL_CA_FILE={}\n", path("ca.pem"));
        fs::write(&settings, fs::read_to_string(&settings).unwrap() + &settings_of_azul).unwrap();

        let arguments = ["serve", "--config", &settings, "--with-simulators", "--log", "trace"];
        let server = Server::start(folder.path(), &arguments);
        let address = address(&server).await;
        let mut deployment =
            Self { client: Client::new(&address, ""), folder, tls_files, database, merchant, server, acquirer };
        let admin = deployment.run(&["key", "create"], &["--role", "admin"])["apiKey"].as_str().unwrap().to_owned();
        deployment.client = Client::new(&address, &admin);
        deployment
    }

    fn run(&self, command: &[&str], arguments: &[&str]) -> Value {
        let key_file = self.folder.path().join("master.key");
        let variables =
            [("COBRO_DATABASE_URL", self.database.url.as_str()), ("COBRO_MASTER_KEY_FILE", key_file.to_str().unwrap())];
        let tenant = ["--merchant", &self.merchant, "--mode", "test"];
        cobro(&[command, &tenant[..], arguments].concat(), &variables).json()
    }

    fn credentials(&self, auth2: &str) -> Value {
        let text = |name: &str| fs::read_to_string(self.tls_files.path(name)).unwrap();
        json!({ "provider": "azul", "credentials": {
            "merchantId": "39000000001", "auth1": AUTH[0], "auth2": auth2,
            "certificate": text("one.pem"), "privateKey": text("one.key"),
        }})
    }

    /// Account that the merchant created and provided with credentials.
    async fn account(&self, name: &str) -> String {
        let request = json!({ "provider": "azul" });
        let made = self.client.post_own("/v1/merchant_accounts", &format!("make-{name}"), &request).await;
        assert_eq!((made.status, made.text("/lifecycle").as_str()), (201, "pending"), "{made:?}");
        let id = made.text("/id");
        let set = self.set(&id, &format!("set-{name}"), AUTH[1]).await;
        assert_eq!((set["lifecycle"].as_str(), set["credentialVersion"].as_u64()), (Some("active"), Some(1)), "{set}");
        id
    }

    async fn set(&self, account: &str, key: &str, auth2: &str) -> Value {
        let path = format!("/v1/merchant_accounts/{account}/credentials");
        let set = self.client.put(&path, key, &self.credentials(auth2)).await;
        assert_eq!(set.status, 200, "{set:?}");
        set.body
    }

    async fn pay(&self, created: &Created, key: &str) -> (u16, String) {
        let paid = self.client.pay(created, APPROVED_CARD, key).await.unwrap();
        let pointer = if paid.status == 200 { "/status" } else { "/error/code" };
        (paid.status, paid.text(pointer))
    }

    /// Puts another master key in front, while the server runs.
    fn rotate(&self) -> Value {
        let key_file = self.folder.path().join("master.key");
        let variables =
            [("COBRO_DATABASE_URL", self.database.url.as_str()), ("COBRO_MASTER_KEY_FILE", key_file.to_str().unwrap())];
        cobro(&["vault", "rotate", "--new-key"], &variables).json()
    }
}

/// Prints a payment of any merchant, as JSON and as text.
fn shown(deployment: &Deployment, payment: &str) -> (Value, String) {
    let variables = [("COBRO_DATABASE_URL", deployment.database.url.as_str())];
    let whole = cobro(&["payment", "show", payment, "--json"], &variables);
    let lines = cobro(&["payment", "show", payment], &variables);
    assert!(lines.is_success && lines.stderr.is_empty(), "{lines:?}");
    (whole.json(), lines.stdout)
}

/// The printed fields identify each attempt at the acquirer and contain only the last digits of the card.
async fn check_shown(deployment: &Deployment, sold: &Created, shared: &Created) {
    let held = fs::read_to_string(deployment.tls_files.path("acquirer.journal")).unwrap();
    let ((whole, lines), (parts, _)) = (shown(deployment, &sold.payment), shown(deployment, &shared.payment));
    let missing = "payment_00000000000000000000000000";
    let variables = [("COBRO_DATABASE_URL", deployment.database.url.as_str())];
    let unknown = cobro(&["payment", "show", missing, "--json"], &variables);

    assert_eq!((&whole["status"], &whole["merchantId"]), (&json!("succeeded"), &json!(deployment.merchant)));
    assert_eq!((&whole["saleReference"], &whole["amount"]), (&json!("whole"), &json!("DOP 1280.00")));
    assert_eq!((&whole["document"]["status"], &whole["document"]["kind"]), (&json!("issued"), &json!("consumer")));
    let attempts = [&whole, &parts].map(|it| it["attempts"].as_array().unwrap());
    let kinds = attempts.map(|all| all.iter().map(|it| it["kind"].as_str().unwrap()).collect::<Vec<_>>());
    assert_eq!(kinds[0], ["sale"]);
    assert_eq!(kinds[1], ["authorization", "authorization", "capture", "capture"]);
    for attempt in attempts.into_iter().flatten() {
        let reference = attempt["providerReference"].as_str().unwrap();
        assert!(held.contains(reference), "the acquirer has no {reference}: {held}");
        assert_eq!(attempt["status"], "approved", "{attempt}");
    }
    let sale = &whole["attempts"][0];
    assert!(sale["capturedAt"].is_string() && sale["orderNumber"].is_string(), "{sale}");
    assert_eq!(sale["card"], "visa 0008");
    assert_eq!(parts["parts"][1]["heldByAttempt"], parts["attempts"][1]["attemptId"]);
    for line in ["  status: succeeded", "  card: visa 0008", "attempt", "document", "  problem: "] {
        let is_there = lines.lines().any(|it| it.starts_with(line));
        assert_eq!(is_there, !line.contains("problem"), "{line} in {lines}");
    }
    assert!(!whole.to_string().contains(APPROVED_CARD) && !lines.contains("null"), "{lines}");
    assert!(!unknown.is_success && unknown.stdout.is_empty(), "{unknown:?}");
    let sentence = "cobro: the payment cannot be shown: there is no such payment";
    assert!(unknown.stderr.contains(sentence), "{unknown:?}");
}

/// Finds a payment by each identifier of its payer, bank or document, and by no other text.
fn check_found(deployment: &Deployment, sold: &Created, shared: &Created) {
    let variables = [("COBRO_DATABASE_URL", deployment.database.url.as_str())];
    let find = |text: &str| cobro(&["payment", "find", text], &variables);
    let (whole, _) = shown(deployment, &sold.payment);
    let (parts, _) = shown(deployment, &shared.payment);
    let list = cobro(&["payment", "list", "--merchant", &deployment.merchant, "--status", "succeeded"], &variables);

    let (sale, part) = (&whole["attempts"][0], &parts["attempts"][1]);
    let document = &whole["document"];
    for (clue, payment) in [
        (&whole["paymentId"], sold),
        (&whole["saleReference"], sold),
        (&document["documentId"], sold),
        (&document["number"], sold),
        (&sale["attemptId"], sold),
        (&sale["providerReference"], sold),
        (&sale["orderNumber"], sold),
        (&part["providerReference"], shared),
        (&part["orderNumber"], shared),
    ] {
        let found = find(clue.as_str().unwrap()).json();
        assert_eq!(found["paymentId"], payment.payment.as_str(), "{clue}: {found}");
    }
    let lower_case = find(&document["number"].as_str().unwrap().to_lowercase()).json();
    let by_invoice = find(lower_case["merchantInvoiceNumber"].as_str().unwrap());
    let no_match = find("E320000009999");
    let elsewhere = cobro(&["payment", "find", "whole", "--mode", "live"], &variables);
    assert_eq!((&lower_case["number"], &lower_case["status"]), (&document["number"], &json!("succeeded")));
    assert!(by_invoice.stdout.contains(&sold.payment), "{by_invoice:?}");
    assert_eq!(list.stdout.lines().count(), 2, "{list:?}");
    for no_match in [no_match, elsewhere] {
        assert!(!no_match.is_success && no_match.stderr.contains("no payment matches"), "{no_match:?}");
    }
}

/// Longer than credentials are remembered.
async fn a_moment() {
    tokio::time::sleep(Duration::from_millis(2100)).await;
}

#[tokio::test]
async fn an_account_of_azul_sells_over_mutual_tls() {
    let mut deployment = Deployment::open("azul_sells").await;
    deployment.account("first").await;

    let sold = deployment.client.create("whole").await;
    let paid = deployment.pay(&sold, "pay-whole").await;
    let document = deployment.client.issued(&sold).await;
    let shared = deployment.client.create("shared").await;
    let cut = json!({ "strategy": "equal", "partCount": 2 });
    let split = format!("/v1/payments/{}/split", shared.payment);
    let opened = deployment.client.post_own(&split, "split", &cut).await;
    for ordinal in [1, 2] {
        let held = deployment.client.pay_part(&shared, APPROVED_CARD, ordinal).await;
        assert_eq!(held.status, 200, "{held:?}");
    }
    let captured = deployment.client.post_own(&format!("{split}/captures"), "capture", &json!({})).await;
    let issued = deployment.client.issued(&shared).await;

    assert_eq!(paid, (200, "succeeded".to_owned()));
    assert_eq!((opened.status, captured.status), (201, 200), "{opened:?} {captured:?}");
    assert_eq!(captured.text("/status"), "succeeded");
    assert!(document["fiscalNumber"].is_string(), "{document}");
    assert_eq!(issued["status"], "issued");
    check_shown(&deployment, &sold, &shared).await;
    check_found(&deployment, &sold, &shared);
    deployment.server.stop("TERM").await;
    deployment.acquirer.stop("TERM").await;
    let key = fs::read_to_string(deployment.tls_files.path("one.key")).unwrap();
    let in_the_key = key.lines().nth(2).unwrap();
    let log = deployment.server.log();
    for secret in [AUTH[0], AUTH[1], in_the_key, APPROVED_CARD] {
        assert!(!log.contains(secret), "the log tells a secret");
    }
    assert!(log.contains("TRACE"));
}

#[tokio::test]
async fn new_credentials_are_used_without_a_restart_for_their_account_only() {
    let deployment = Deployment::open("azul_rotates").await;
    let first = deployment.account("first").await;
    let second = deployment.account("second").await;

    let missing = deployment.client.create_payment("either", &[]).await;
    let on_second =
        deployment.client.create_with("second", &[("merchant-account", &second), ("provider", "azul")]).await;
    let elsewhere =
        deployment.client.create_payment("mismatch", &[("merchant-account", &second), ("provider", "simulator")]).await;
    let paid = deployment.pay(&on_second, "pay-second").await;
    let spoilt = deployment.client.create_with("spoilt", &[("merchant-account", &second)]).await;
    deployment.set(&second, "spoil", "wrong").await;
    a_moment().await;
    let refused = deployment.pay(&spoilt, "pay-spoilt").await;
    let on_first = deployment.client.create_with("first", &[("merchant-account", &first)]).await;
    let beside = deployment.pay(&on_first, "pay-first").await;
    deployment.set(&second, "mend", AUTH[1]).await;
    a_moment().await;
    let mended = deployment.pay(&spoilt, "pay-mended").await;
    let rotated = deployment.rotate();
    a_moment().await;
    let after = deployment.client.create_with("after", &[("merchant-account", &second)]).await;
    let after = deployment.pay(&after, "pay-after").await;

    assert_eq!((missing.status, missing.text("/error/code").as_str()), (422, "no_eligible_provider"));
    assert_eq!((elsewhere.status, elsewhere.text("/error/code").as_str()), (422, "merchant_account_provider_mismatch"));
    assert_eq!(refused, (502, "provider_rejected_request".to_owned()));
    for approved in [paid, beside, mended, after] {
        assert_eq!(approved, (200, "succeeded".to_owned()));
    }
    // Four of credentials, one that signs.
    assert_eq!((&rotated["secrets"], &rotated["resealed"]), (&json!(5), &json!(5)));
}

/// Waits until AZUL has confirmed the credentials.
async fn probed(deployment: &Deployment, account: &str, blocker: Option<&str>) -> Value {
    let begun = Instant::now();
    loop {
        // Limit of a key per second.
        a_moment().await;
        let read = deployment.client.get(&format!("/v1/merchant_accounts/{account}")).await.body;
        let codes = read["readiness"]["blockers"].as_array().unwrap();
        let is_there = blocker.is_none_or(|blocker| codes.iter().any(|it| it["code"] == blocker));
        if check(&read, "provider_reachable") == "passed" && is_there {
            return read;
        }
        assert!(begun.elapsed() < POLL_TIMEOUT, "the account was not probed: {read}");
    }
}

fn check(account: &Value, name: &str) -> String {
    let checks = account["readiness"]["checks"].as_array().unwrap();
    checks.iter().find(|it| it["check"] == name).unwrap()["status"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn readiness_shows_whether_azul_accepts_the_credentials() {
    let deployment = Deployment::open("azul_readiness").await;
    let account = deployment.account("first").await;

    let ready = probed(&deployment, &account, None).await;
    deployment.set(&account, "spoil", "wrong").await;
    let rejected = probed(&deployment, &account, Some("credentials_rejected")).await;
    let refused = deployment.client.create_payment("refused", &[]).await;
    deployment.set(&account, "mend", AUTH[1]).await;
    let mended = deployment.client.create_payment("mended", &[]).await;

    assert_eq!(check(&ready, "credentials_accepted"), "passed");
    // The certificate of the test expires in thirty days, which causes a warning.
    assert_eq!(ready["readiness"]["status"], "degraded");
    assert_eq!(ready["readiness"]["blockers"][0]["code"], "credentials_expiring");
    assert_eq!(rejected["readiness"]["status"], "not_ready");
    assert_eq!((refused.status, refused.text("/error/code").as_str()), (422, "merchant_account_not_ready"));
    assert_eq!(mended.status, 201, "{mended:?}");
}
