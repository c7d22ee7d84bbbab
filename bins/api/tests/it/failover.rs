//! A database that is unreachable, changes its primary, or is read-only.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::{
    crash::{check_each_sale_once, finish},
    support::{
        APPROVED_CARD, ApiResponse, Client, Created, Database, POLL_TIMEOUT, Postgres, Proxy, Sandbox, Server, cobro,
        deployment, free_port, pause, sale,
    },
};

/// Number of merchants' servers that sell at the same time.
const SELLERS: usize = 3;
/// Maximum time until writes succeed again after a promotion.
const RECOVERY: Duration = Duration::from_secs(10);

#[tokio::test]
async fn writes_succeed_again_after_a_switchover_and_nothing_is_lost_or_doubled() {
    let mut old = Postgres::primary().await;
    old.execute("CREATE DATABASE failover").await;
    let new = Postgres::standby_of(&old).await;
    let proxy = Proxy::to(old.port).await;
    let url = format!("postgres://cobro@127.0.0.1:{}/failover", proxy.port);
    let sandbox = Sandbox::start_with(&["--database-url", &url, "--rate-limit", "1000"]).await;
    let client = sandbox.client();
    let is_over = Arc::new(AtomicBool::new(false));
    let sellers: Vec<_> = (0..SELLERS).map(|n| tokio::spawn(sell_until(client.clone(), n, is_over.clone()))).collect();
    sleep(Duration::from_secs(2)).await;

    old.stop();
    new.promote();
    let promoted = Instant::now();
    // The old primary, now a standby, accepts connections but no writes.
    old.follow(&new).await;
    let reason = until_not_ready(sandbox.text("baseUrl")).await;
    let refused = client.create_payment("refused", &[]).await;
    proxy.set_target(new.port);
    let begun = Instant::now();
    while client.create_payment("first", &[]).await.status != 201 {
        assert!(begun.elapsed() < RECOVERY, "no write succeeds: {}", sandbox.server.log());
        pause().await;
    }
    let recovered = promoted.elapsed();
    sleep(Duration::from_secs(2)).await;
    is_over.store(true, Ordering::SeqCst);
    let mut sales = Vec::new();
    for seller in sellers {
        sales.extend(seller.await.unwrap());
    }

    assert_eq!(reason, "not ready: a writable database is unavailable\n");
    assert_eq!((refused.status, refused.text("/error/code").as_str()), (500, "internal_error"));
    assert!(recovered < RECOVERY, "{recovered:?}");
    assert!(sales.len() > SELLERS, "{sales:?}");
    for sale in &sales {
        finish(&client, sale).await;
    }
    check_each_sale_once(&client, &sales).await;
}

/// Makes sales one after the other, as a merchant's server does: each request is retried with its key until a response
/// arrives. The card of the last sale may have no response.
async fn sell_until(client: Client, seller: usize, is_over: Arc<AtomicBool>) -> Vec<Created> {
    let mut sales = Vec::new();
    for n in 0.. {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        let name = format!("{seller}-{n}");
        let [create, ask, pay] = ["create", "token", "pay"].map(|what| format!("{what}-{name}"));
        let (client, body) = (&client, sale(&name));
        let Some(created) = answered(|| client.post_own("/v1/payments", &create, &body), &is_over).await else { break };
        let request = json!({ "checkoutReference": created["checkoutReference"], "purpose": "pay" });
        let Some(token) = answered(|| client.post_own("/v1/checkout_tokens", &ask, &request), &is_over).await else {
            break;
        };
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let sold = Created {
            payment: text(&created["id"]),
            document: text(&created["fiscalDocument"]["id"]),
            checkout_url: text(&created["nextAction"]["url"]),
            token: text(&token["token"]),
        };
        sales.push(sold.clone());
        let (sold, pay) = (&sold, &pay);
        answered(|| async move { client.pay(sold, APPROVED_CARD, pay).await.unwrap() }, &is_over).await;
    }
    sales
}

/// Retries a request until it succeeds, or the test is over.
async fn answered<F: Future<Output = ApiResponse>>(send: impl Fn() -> F, is_over: &AtomicBool) -> Option<Value> {
    loop {
        let response = send().await;
        match response.status {
            200 | 201 => return Some(response.body),
            // The holder of the key's lease ended before the lease, or the database is unreachable.
            409 | 429 | 500 if !is_over.load(Ordering::SeqCst) => pause().await,
            409 | 429 | 500 => return None,
            _ => panic!("{response:?}"),
        }
    }
}

async fn until_not_ready(base_url: &str) -> String {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let begun = Instant::now();
    loop {
        let ready = http.get(format!("{base_url}/readyz")).send().await.unwrap();
        let (status, text) = (ready.status().as_u16(), ready.text().await.unwrap());
        if status == 503 && text.contains("writable") {
            return text;
        }
        assert!(begun.elapsed() < RECOVERY, "{status} {text}");
        pause().await;
    }
}

#[tokio::test]
async fn a_database_that_was_read_only_takes_writes_again_without_a_restart() {
    let database = Database::empty("read_only").await;
    let sandbox = Sandbox::start_with(&["--database-url", &database.url]).await;
    let client = sandbox.client();
    client.create("before").await;
    let name = database.url.rsplit_once('/').unwrap().1;
    let terminate = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    );

    database.execute(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on; {terminate}")).await;
    let reason = until_not_ready(sandbox.text("baseUrl")).await;
    let refused = client.create_payment("during", &[]).await;
    let (folder, settings) = deployment(&database);
    let worker = begin(&folder, "worker", &settings);
    until_logged(&worker, "it takes no writes: it is a standby, or it was made read-only").await;
    let doctor = cobro(&["doctor"], &[("COBRO_DATABASE_URL", &database.url), ("COBRO_MASTER_KEY", &"ab".repeat(32))]);
    database
        .execute(&format!("BEGIN READ WRITE; ALTER DATABASE {name} RESET default_transaction_read_only; COMMIT"))
        .await;

    assert_eq!(reason, "not ready: a writable database is unavailable\n");
    assert_eq!(refused.status, 500, "{refused:?}");
    assert!(doctor.stdout.contains("it takes no writes: it is a standby, or it was made read-only"), "{doctor:?}");
    let begun = Instant::now();
    while client.create_payment("after", &[]).await.status != 201 {
        assert!(begun.elapsed() < RECOVERY, "{}", sandbox.server.log());
        pause().await;
    }
}

/// Trigger function that refuses the first write of a table with the SQLSTATE in its argument. It counts with a
/// sequence, which is not rolled back.
const FIRST_WRITE_FAILS: &str = "CREATE SEQUENCE writes; \
    CREATE FUNCTION first_write_fails() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN \
    IF nextval('public.writes') = 1 THEN RAISE EXCEPTION '%', TG_ARGV[1] USING ERRCODE = TG_ARGV[0]; END IF; \
    RETURN NULL; END $$";

#[tokio::test]
async fn a_transaction_that_is_rolled_back_once_is_retried_unnoticed() {
    let database = Database::empty("rolled_back").await;
    let sandbox = Sandbox::start_with(&["--database-url", &database.url, "--rate-limit", "1000"]).await;
    let client = sandbox.client();
    database.execute(FIRST_WRITE_FAILS).await;
    let tables = "(SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_\\_%')";
    let mut failed = Vec::new();
    for (n, row) in database.rows(tables).await.iter().enumerate() {
        let row: Value = serde_json::from_str(row).unwrap();
        let table = row["tablename"].as_str().unwrap();
        for (state, message) in [("40001", "could not serialize access"), ("40P01", "deadlock detected")] {
            database
                .execute(&format!(
                    "ALTER SEQUENCE writes RESTART; CREATE TRIGGER fails BEFORE INSERT OR UPDATE OR DELETE ON {table} \
                     FOR EACH STATEMENT EXECUTE FUNCTION first_write_fails('{state}', '{message}')"
                ))
                .await;
            client.sell(&format!("sale-{n}-{state}")).await;
            let writes: Value =
                serde_json::from_str(&database.rows("(SELECT is_called FROM writes)").await[0]).unwrap();
            database.execute(&format!("DROP TRIGGER fails ON {table}")).await;
            if writes["is_called"] == false {
                break;
            }
            failed.push(table.to_owned());
        }
    }

    for table in
        ["payments", "fiscal_documents", "attempts", "events", "idempotency_keys", "fiscal_numbers", "artifacts"]
    {
        assert_eq!(failed.iter().filter(|it| *it == table).count(), 2, "{table}: {failed:?}");
    }
    assert!(!sandbox.server.log().contains("ERROR"), "{}", sandbox.server.log());
}

#[tokio::test]
async fn a_process_that_starts_without_its_database_waits_for_it() {
    let database = Database::empty("away").await;
    assert!(cobro(&["migrate"], &[("COBRO_DATABASE_URL", database.url.as_str())]).is_success);
    let (before, name) = database.url.rsplit_once('/').unwrap();
    let (role, host) = before.rsplit_once('@').unwrap();
    let target = host.rsplit_once(':').unwrap().1.parse().unwrap();
    let port = free_port();
    let (folder, settings) = deployment(&database);
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replace(&database.url, &format!("{role}@127.0.0.1:{port}/{name}"))).unwrap();
    let mut stopped = begin(&folder, "stopped", &settings);
    let worker = begin(&folder, "worker", &settings);
    for server in [&stopped, &worker] {
        until_logged(server, "the database is unavailable").await;
    }

    let (status, took) = stopped.stop("TERM").await;
    let _proxy = Proxy::at(port, target).await;

    assert!(!status.success() && took < Duration::from_secs(2), "{took:?}: {}", stopped.log());
    until_logged(&worker, "working").await;
}

fn begin(folder: &TempDir, name: &str, settings: &str) -> Server {
    let own = folder.path().join(name);
    fs::create_dir(&own).unwrap();
    Server::start(&own, &["work", "--config", settings, "--log", "info"])
}

async fn until_logged(server: &Server, words: &str) {
    let begun = Instant::now();
    while !server.log().contains(words) {
        assert!(begun.elapsed() < POLL_TIMEOUT, "{words:?} is missing in {}", server.log());
        pause().await;
    }
}
