//! Processes with a wrong system clock (libfaketime), beside one with a right clock.

use std::{fs, time::Instant};

use crate::support::{Client, Database, POLL_TIMEOUT, Server, address, cobro, deployment, pause, set_up};

/// Library that shows a process another time.
fn faketime() -> String {
    let folders = fs::read_dir("/usr/lib").unwrap().map(|it| it.unwrap().path().join("faketime/libfaketimeMT.so.1"));
    let found = folders.into_iter().find(|it| it.is_file());
    found.expect("libfaketime is installed (Debian package `faketime`)").display().to_string()
}

/// Environment that shifts the system clock of a process. Timers use the monotonic clock, which stays right.
fn skewed(skew: &str) -> [(&'static str, String); 3] {
    let library = faketime();
    [("LD_PRELOAD", library), ("FAKETIME", skew.to_owned()), ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned())]
}

fn borrowed<'a>(variables: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    variables.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

async fn wait_for(server: &Server, text: &str) {
    let begun = Instant::now();
    while !server.log().contains(text) {
        assert!(begun.elapsed() < POLL_TIMEOUT, "{text} is missing in {}", server.log());
        pause().await;
    }
}

#[tokio::test]
async fn workers_with_a_wrong_clock_claim_no_work_and_sweep_no_rows() {
    let database = Database::empty("wrong_workers").await;
    let (folder, settings) = deployment(&database);
    let (_, key) = set_up(&database, &folder, true);
    let server = Server::start(folder.path(), &["serve", "--config", &settings, "--with-simulators"]);
    let client = Client::new(&address(&server).await, &key);
    let created = client.create("first").await;
    let payment = format!("/v1/payments/{}", created.payment);

    let workers = ["+25h", "+402d", "+4h", "-25h"].map(|skew| {
        let (home, variables) = (folder.path().join(skew), skewed(skew));
        fs::create_dir(&home).unwrap();
        (skew, Server::start_in(&home, &["work", "--config", &settings], &borrowed(&variables)))
    });
    for (skew, worker) in &workers {
        wait_for(worker, "the system clock is wrong").await;
        assert!(!worker.log().contains("a due step failed"), "{skew}: {}", worker.log());
    }
    // Several rounds of each lane.
    tokio::time::sleep(std::time::Duration::from_secs(4)).await;

    assert_eq!(client.get(&payment).await.text("/status"), "requires_customer_action");
    let replayed = client.create_payment("first", &[]).await;
    assert_eq!((replayed.status, replayed.text("/id")), (201, created.payment), "the key is remembered");
    let events = client.records("/v1/events").await;
    // The server has the right clock and sends the readiness event of the account.
    let of_the_sale =
        events.iter().map(|event| event["type"].as_str().unwrap()).filter(|it| !it.starts_with("merchant"));
    assert_eq!(of_the_sale.collect::<Vec<_>>(), ["fiscal_document.requested", "payment.created"]);
}

#[tokio::test]
async fn a_server_with_a_wrong_clock_reads_and_changes_nothing() {
    let database = Database::empty("wrong_server").await;
    let (folder, settings) = deployment(&database);
    let (_, key) = set_up(&database, &folder, true);
    let right = Server::start(folder.path(), &["serve", "--config", &settings, "--with-simulators"]);
    let created = Client::new(&address(&right).await, &key).create("first").await;

    for skew in ["+25h", "-25h"] {
        let (home, variables) = (folder.path().join(skew), skewed(skew));
        fs::create_dir(&home).unwrap();
        let wrong =
            Server::start_in(&home, &["serve", "--config", &settings, "--with-simulators"], &borrowed(&variables));
        let base_url = address(&wrong).await;
        let client = Client::new(&base_url, &key);

        let refused = client.create_payment("first", &[]).await;
        let read = client.get(&format!("/v1/payments/{}", created.payment)).await;
        let ready = reqwest::get(format!("{base_url}/readyz")).await.unwrap();

        assert_eq!((refused.status, refused.text("/error/code").as_str()), (500, "internal_error"), "{skew}");
        assert_eq!((read.status, read.text("/status").as_str()), (200, "requires_customer_action"), "{skew}");
        assert_eq!(ready.status().as_u16(), 503, "{skew}");

        let key_file = folder.path().join("master.key");
        let own =
            [("COBRO_DATABASE_URL", database.url.as_str()), ("COBRO_MASTER_KEY_FILE", key_file.to_str().unwrap())];
        let all = [&own[..], &borrowed(&variables)].concat();
        let doctor = cobro(&["doctor"], &all);
        assert!(doctor.stdout.contains("fail clock: the clock of the database is"), "{doctor:?}");
        let command = cobro(&["merchant", "create", "--legal-name", "Otra, S.R.L.", "--rnc", "131880681"], &all);
        assert!(
            !command.is_success && command.stderr.contains("nothing is changed: the system clock is"),
            "{command:?}"
        );
    }
}
