use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{
    APPROVED_CARD, Client, Database, POLL_TIMEOUT, Sandbox, Server, address, cobro, deployment, pause, set_up,
};

#[tokio::test]
async fn an_older_schema_is_refused_in_a_sentence() {
    let database = Database::empty("old_schema").await;
    let (_folder, settings) = deployment(&database);

    for role in ["serve", "work"] {
        let refused = cobro(&[role, "--config", &settings], &[]);

        assert!(!refused.is_success);
        assert!(refused.stderr.contains("older than this program: run `cobro migrate` first"), "{refused:?}");
    }
}

#[tokio::test]
async fn the_database_of_an_unreleased_version_is_refused_in_a_sentence() {
    let database = Database::empty("unreleased").await;
    database.execute(testkit::unreleased::SCHEMA).await;
    let (_folder, settings) = deployment(&database);

    for command in ["migrate", "serve", "work"] {
        let refused = cobro(&[command, "--config", &settings], &[]);

        assert!(!refused.is_success, "{command}: {refused:?}");
        assert!(refused.stderr.contains("created by an unreleased version of Cobro"), "{command}: {refused:?}");
        assert!(refused.stderr.contains("create a new, empty database and run `cobro migrate`"), "{refused:?}");
    }
}

#[tokio::test]
async fn without_an_account_there_is_no_payment_and_without_a_register_the_log_says_so() {
    let database = Database::empty("no_account").await;
    let (folder, settings) = deployment(&database);
    let (merchant, key) = set_up(&database, &folder, false);

    let mut server = Server::start(folder.path(), &["serve", "--config", &settings]);
    let client = Client::new(&address(&server).await, &key);
    let refused = client.post("/v1/payments", &key, "create", &crate::support::sale("first")).await.unwrap();
    let (status, _) = server.stop("TERM").await;

    assert_eq!((refused.status, refused.text("/error/code").as_str()), (422, "no_eligible_provider"));
    assert!(server.log().contains("no register of taxpayers was imported: documents for named buyers wait"));
    assert_eq!(status.code(), Some(0));
    let key_file = folder.path().join("master.key");
    let (url, file) = (("COBRO_DATABASE_URL", database.url.as_str()), key_file.to_str().unwrap());
    let listed =
        cobro(&["key", "list", "--merchant", &merchant, "--mode", "test"], &[url, ("COBRO_MASTER_KEY_FILE", file)]);
    assert!(listed.json()["keys"][0]["lastUsedAt"].is_string(), "{listed:?}");
}

#[tokio::test]
async fn with_simulators_a_deployment_sells_in_test_mode() {
    let database = Database::empty("simulated").await;
    let (folder, settings) = deployment(&database);
    let (_, key) = set_up(&database, &folder, true);

    let server = Server::start(folder.path(), &["serve", "--config", &settings, "--with-simulators"]);
    let client = Client::new(&address(&server).await, &key);
    let created = client.create("first").await;
    let paid = client.pay(&created, APPROVED_CARD, "pay").await.unwrap();

    assert_eq!(paid.text("/status"), "succeeded");
    let control = client.get("/sandbox/acquirer/transactions").await;
    assert_eq!((control.status, control.text("/error/code").as_str()), (404, "endpoint_not_found"));
}

#[tokio::test]
async fn the_environment_may_say_how_logs_are_written_too() {
    let database = Database::empty("log_format").await;
    let variables = [("COBRO_DATABASE_URL", database.url.as_str()), ("COBRO_LOG_FORMAT", "json")];

    let migrated = cobro(&["migrate"], &variables);
    let otherwise = cobro(&["migrate", "--log-format", "text"], &variables);

    let line: serde_json::Value = serde_json::from_str(migrated.stderr.trim()).unwrap();
    assert_eq!(line["message"], "the schema is up to date");
    assert!(otherwise.stderr.contains("INFO") && !otherwise.stderr.starts_with('{'), "{otherwise:?}");
}

#[tokio::test]
async fn a_network_that_is_none_is_refused_in_a_sentence() {
    let database = Database::empty("no_network").await;
    let (_folder, settings) = deployment(&database);

    let by_flag = cobro(&["serve", "--config", &settings, "--trusted-proxy", "10.0.0.0/33"], &[]);
    fs::write(&settings, format!("{}COBRO_TRUSTED_PROXIES=10.0.0.0/8,x\n", fs::read_to_string(&settings).unwrap()))
        .unwrap();
    let by_file = cobro(&["serve", "--config", &settings], &[]);

    assert!(!by_flag.is_success && by_flag.stderr.contains("--trusted-proxy"), "{by_flag:?}");
    assert!(!by_file.is_success && by_file.stderr.contains("COBRO_TRUSTED_PROXIES has something"), "{by_file:?}");
}

#[tokio::test]
async fn a_worker_shows_its_health_and_stops_at_every_stop_signal() {
    let database = Database::empty("worker").await;
    let (folder, settings) = deployment(&database);
    assert!(cobro(&["migrate", "--database-url", &database.url], &[]).is_success);

    for signal in ["INT", "HUP", "QUIT", "TERM"] {
        let home = folder.path().join(signal);
        fs::create_dir(&home).unwrap();
        let mut worker = Server::start(&home, &["work", "--config", &settings, "--listen", "127.0.0.1:0"]);
        let begun = Instant::now();
        while !worker.log().contains("working") {
            assert!(begun.elapsed() < POLL_TIMEOUT, "{}", worker.log());
            pause().await;
        }
        let log = worker.log();
        let address = log.split_once("health and metrics are served address=").unwrap().1.split_whitespace().next();
        let read = async |path: &str| {
            let response = reqwest::get(format!("http://{}{path}", address.unwrap())).await.unwrap();
            (response.status().as_u16(), response.text().await.unwrap())
        };
        assert_eq!(read("/healthz").await, (200, "alive\n".to_owned()));
        assert_eq!(read("/readyz").await, (200, "ready\n".to_owned()));
        let (status, metrics) = read("/metrics").await;
        assert_eq!(status, 200);
        for name in ["cobro_clock_is_right 1", "cobro_database_connections_idle ", "cobro_backlog_up 1"] {
            assert!(metrics.lines().any(|it| it.starts_with(name)), "{name} is missing in {metrics}");
        }
        assert_eq!(read("/v1/payments").await.0, 404, "only health and metrics are served");

        let (status, _) = worker.stop(signal).await;
        assert_eq!(status.code(), Some(0), "{signal}: {}", worker.log());
    }
}

#[tokio::test]
async fn signals_that_ask_for_no_stop_and_the_hangup_of_nohup_are_ignored() {
    let mut sandbox = Sandbox::start().await;
    for signal in ["USR1", "USR2", "ALRM"] {
        sandbox.server.signal(signal);
    }
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let begin = "nohup \"$0\" sandbox --listen 127.0.0.1:0 --data-dir data > log 2>&1 & echo $!";
    let begun =
        Command::new("sh").args(["-c", begin, env!("CARGO_BIN_EXE_cobro")]).current_dir(&folder).output().unwrap();
    let pid = String::from_utf8(begun.stdout).unwrap().trim().to_owned();
    let kill = |signal: &str| Command::new("sh").args(["-c", &format!("kill -{signal} {pid}")]).status().unwrap();
    let waiting = Instant::now();
    let ready = loop {
        let text = fs::read_to_string(&log).unwrap();
        let ready: Option<Value> = text.lines().find_map(|line| serde_json::from_str(line).ok());
        if let Some(ready) = ready {
            break ready;
        }
        assert!(waiting.elapsed() < POLL_TIMEOUT, "{text}");
        pause().await;
    };
    assert!(kill("HUP").success());
    tokio::time::sleep(Duration::from_millis(300)).await;
    let health = reqwest::get(format!("{}/healthz", ready["baseUrl"].as_str().unwrap())).await;
    assert!(kill("TERM").success());

    assert!(health.is_ok_and(|it| it.status().is_success()), "{}", fs::read_to_string(&log).unwrap());
    assert_eq!(sandbox.client().get("/v1/payments").await.status, 200);
    let (status, _) = sandbox.stop("TERM").await;
    assert_eq!(status.code(), Some(0), "{}", sandbox.server.log());
}

#[tokio::test]
async fn a_server_counts_payment_outcomes_and_drains_at_sighup() {
    let database = Database::empty("counted").await;
    let (folder, settings) = deployment(&database);
    let (_, key) = set_up(&database, &folder, true);
    let mut server = Server::start(folder.path(), &["serve", "--config", &settings, "--with-simulators"]);
    let base_url = address(&server).await;
    Client::new(&base_url, &key).sell("first").await;

    let metrics = reqwest::get(format!("{base_url}/metrics")).await.unwrap().text().await.unwrap();
    let (status, _) = server.stop("HUP").await;

    for line in [
        r#"cobro_payments_total{outcome="succeeded"} 1"#,
        r#"cobro_provider_request_duration_seconds_count{provider="simulator",operation="charge",outcome="approved"} 1"#,
    ] {
        assert!(metrics.lines().any(|it| it == line), "{line} is missing in {metrics}");
    }
    assert!(metrics.contains(r#"cobro_authority_request_duration_seconds_count{operation="submit""#), "{metrics}");
    assert_eq!(status.code(), Some(0), "{}", server.log());
}
