//! The checks of `cobro doctor`.

use std::{fs, time::Instant};

use serde_json::Value;

use crate::support::{Database, Output, POLL_TIMEOUT, Server, cobro, deployment, pause, set_up};

/// Lines of the output as `status name`, with their text.
fn lines(output: &Output) -> Vec<(String, String)> {
    output
        .stdout
        .lines()
        .map(|it| it.split_once(": ").map(|(of, printed)| (of.to_owned(), printed.to_owned())).unwrap())
        .collect()
}

#[track_caller]
fn check(output: &Output, of: &str, word: &str) {
    let lines = lines(output);
    let found = lines.iter().find(|(it, _)| it == of).unwrap_or_else(|| panic!("no `{of}` in {lines:?}"));
    assert!(found.1.contains(word), "{found:?}");
}

async fn authority(folder: &std::path::Path) -> (Server, String) {
    let folder = folder.join("authority");
    fs::create_dir(&folder).unwrap();
    let mut authority = Server::start(&folder, &["simulate", "authority", "--listen", "127.0.0.1:0"]);
    let ready: Value = serde_json::from_str(&authority.first_line().await).unwrap();
    (authority, ready["url"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn doctor_checks_each_part_and_prints_the_fault() {
    let database = Database::empty("doctor").await;
    let (folder, settings) = deployment(&database);
    set_up(&database, &folder, true);
    let (_authority, url) = authority(folder.path()).await;
    let whole = fs::read_to_string(&settings).unwrap();
    let with = |more: &str| {
        fs::write(&settings, format!("{whole}{more}")).unwrap();
        cobro(&["doctor", "--config", &settings], &[("RUST_LOG", "warn")])
    };

    // No process listens on the port of the mail server.
    let well = with(&format!("COBRO_DGII_URLS={url}\n"));
    let ill =
        with("COBRO_DGII_URLS=http://127.0.0.1:9\nCOBRO_SMTP_URL=smtp://127.0.0.1:9\nCOBRO_SMTP_FROM=a@example.do\n");
    let as_json = cobro(&["doctor", "--json", "--config", &settings], &[("RUST_LOG", "warn")]);

    assert!(well.is_success, "{well:?}");
    let names: Vec<String> =
        lines(&well).iter().filter_map(|(it, _)| it.split(' ').next_back().map(str::to_owned)).collect();
    let expected = [
        "database",
        "key",
        "clock",
        "certificate",
        "sequences",
        "credit_note_numbers",
        "provider",
        "authority",
        "directory",
        "mail",
        "refunds_in_doubt",
        "notes_owed",
        "returns_unattributed",
    ];
    assert_eq!(names, expected);
    check(&well, "ok database", "with schema 0");
    check(&well, "ok key", "the master key opens the secrets of the database");
    check(&well, "ok clock", "in step with the clock of the database");
    check(&well, "ok authority", "DGII answers for testecf");
    check(&well, "warn directory", "no register of taxpayers was imported");
    check(&well, "ok credit_note_numbers", "no merchant has a range for credit notes");
    check(&well, "ok refunds_in_doubt", "no refund is in doubt");
    check(&well, "ok notes_owed", "no credit note is owed");
    check(&well, "ok returns_unattributed", "every return is attributed");
    check(&well, "warn mail", "no mail server is named");
    assert!(!ill.is_success && ill.stderr.contains("2 of 13 checks failed"), "{ill:?}");
    check(&ill, "fail authority", "no connection could be made");
    check(&ill, "fail mail", "the mail server cannot be used");
    check(&ill, "ok database", "it answers");
    let report: Value = serde_json::from_str(&as_json.stdout).unwrap();
    assert_eq!((&report["ok"], report["checks"].as_array().map(Vec::len)), (&false.into(), Some(13)));
    assert_eq!((as_json.is_success, as_json.stdout.lines().count()), (false, 1));
    let key = fs::read_to_string(folder.path().join("master.key")).unwrap();
    for output in [&well, &ill, &as_json] {
        let printed = format!("{}{}", output.stdout, output.stderr);
        assert!(!printed.contains(&key) && !printed.contains(&database.url), "{printed}");
    }
}

#[tokio::test]
async fn what_does_not_answer_leaves_the_others() {
    let database = Database::empty("doctor_alone").await;
    let (folder, settings) = deployment(&database);
    let (_authority, url) = authority(folder.path()).await;
    fs::write(&settings, format!("{}COBRO_DGII_URLS={url}\n", fs::read_to_string(&settings).unwrap())).unwrap();

    let begun = Instant::now();
    let unmigrated = cobro(&["doctor", "--config", &settings], &[]);
    let nowhere = [("COBRO_DATABASE_URL", "postgres://unknown:secret-word@127.0.0.1:9/none")];
    let nowhere = cobro(&["doctor", "--config", &settings], &nowhere);

    check(&unmigrated, "fail database", "run `cobro migrate` first");
    check(&nowhere, "fail database", "the database cannot be used");
    for output in [&unmigrated, &nowhere] {
        check(output, "ok authority", "DGII answers");
        check(output, "fail sequences", "the database cannot be asked");
        assert!(!output.is_success && !output.stdout.contains("secret-word"), "{output:?}");
    }
    assert!(begun.elapsed() < POLL_TIMEOUT);
}

#[tokio::test]
async fn another_master_key_is_refused_before_it_does_harm() {
    let database = Database::empty("foreign_key").await;
    let (folder, settings) = deployment(&database);
    let (merchant, _) = set_up(&database, &folder, true);
    let certificates = database.rows("certificates").await;
    fs::write(folder.path().join("master.key"), "cd".repeat(32)).unwrap();

    let sentence = "the master key cannot be used: the key does not match this database";
    let tenant = ["--merchant", &merchant, "--mode", "test", "--config", &settings];
    let file = folder.path().join("certificate.p12");
    let import = [&["certificate", "import", "--file", file.to_str().unwrap()], &tenant[..]].concat();
    for arguments in [
        &["serve", "--config", &settings][..],
        &["work", "--config", &settings],
        &["vault", "rotate", "--new-key", "--config", &settings],
        &[&["key", "create"], &tenant[..]].concat(),
        &import,
    ] {
        let refused = cobro(arguments, &[("COBRO_CERTIFICATE_PASSWORD", "secret")]);
        assert!(!refused.is_success && refused.stdout.is_empty(), "{arguments:?}: {refused:?}");
        assert!(refused.stderr.contains(sentence), "{arguments:?}: {refused:?}");
    }
    let looked = cobro(&["doctor", "--config", &settings], &[]);

    check(&looked, "fail key", "the key does not match this database");
    assert_eq!(database.rows("certificates").await, certificates);
    assert_eq!(
        fs::read_to_string(folder.path().join("master.key")).unwrap(),
        "cd".repeat(32),
        "no key was put in front"
    );
}

/// A database without a key fingerprint is checked with the stored secrets.
#[tokio::test]
async fn a_database_from_before_knows_its_key_too() {
    let database = Database::empty("key_from_before").await;
    let (folder, settings) = deployment(&database);
    let (merchant, _) = set_up(&database, &folder, false);
    database.execute("DELETE FROM key_checks").await;
    let tenant = ["merchant", "show", "--merchant", &merchant, "--mode", "test", "--config", &settings];
    let key = fs::read_to_string(folder.path().join("master.key")).unwrap();

    fs::write(folder.path().join("master.key"), "cd".repeat(32)).unwrap();
    let refused = cobro(&tenant, &[]);
    let none_yet = database.rows("key_checks").await;
    fs::write(folder.path().join("master.key"), key).unwrap();
    let taken = cobro(&tenant, &[]);

    assert!(refused.stderr.contains("the key does not match this database"), "{refused:?}");
    assert!(none_yet.is_empty(), "{none_yet:?}");
    assert!(taken.is_success, "{taken:?}");
    assert_eq!(database.rows("key_checks").await.len(), 1);
}

#[tokio::test]
async fn of_two_who_start_at_once_with_different_keys_one_is_refused() {
    let database = Database::empty("two_keys").await;
    let variables =
        |key: &'static str| [("COBRO_DATABASE_URL", database.url.clone()), ("COBRO_MASTER_KEY", key.repeat(32))];
    assert!(cobro(&["migrate", "--database-url", &database.url], &[]).is_success);

    let rotate = |key: &'static str| {
        let variables = variables(key);
        std::thread::spawn(move || {
            let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
            cobro(&["vault", "rotate"], &variables)
        })
    };
    let both = [rotate("ab"), rotate("cd")].map(|it| it.join().unwrap());

    let refused: Vec<&Output> = both.iter().filter(|it| !it.is_success).collect();
    assert_eq!(refused.len(), 1, "{both:?}");
    assert!(refused[0].stderr.contains("the master key cannot be used"), "{refused:?}");
}

#[tokio::test]
async fn a_warning_about_the_register_comes_where_there_is_none() {
    let database = Database::empty("register_warning").await;
    let (folder, settings) = deployment(&database);
    set_up(&database, &folder, false);
    let serve = async |sentence: &str| {
        let mut server = Server::start(folder.path(), &["serve", "--config", &settings, "--without-worker"]);
        let begun = Instant::now();
        while !server.log().contains("serving address=") {
            assert!(begun.elapsed() < POLL_TIMEOUT, "{}", server.log());
            pause().await;
        }
        server.stop("TERM").await;
        server.log().matches(sentence).count()
    };

    let sentence = "no register of taxpayers was imported";
    assert_eq!(serve(sentence).await, 1);
    let line = b"101000007|COMERCIAL, SRL||VENTAS| | | | |30/06/2020|ACTIVO|NORMAL\r\n";
    let path = folder.path().join("register.txt");
    fs::write(&path, line).unwrap();
    let import = ["directory", "import", path.to_str().unwrap(), "--at-least", "1", "--config", &settings];
    assert!(cobro(&import, &[]).is_success);

    // The log has the first one's warning still, and no other.
    fs::write(folder.path().join("stderr"), "").unwrap();
    assert_eq!(serve(sentence).await, 0);
}

#[test]
fn variable_with_an_old_name_is_refused_with_the_new_one() {
    for (old, new) in [
        ("COBRO_AZUL_AUTHORITIES", "COBRO_AZUL_CA_FILE"),
        ("COBRO_DGII_AUTHORITIES", "COBRO_DGII_CA_FILE"),
        ("COBRO_EXCHANGE_AUTHORITIES", "COBRO_INTERCHANGE_CA_FILE"),
        ("COBRO_SMTP_AUTHORITIES", "COBRO_SMTP_CA_FILE"),
    ] {
        let refused = cobro(&["doctor"], &[(old, "/etc/cobro/ca.pem")]);

        assert!(!refused.is_success);
        assert_eq!(refused.stderr, format!("cobro: {old} was renamed: set {new} instead\n"));
    }
}
