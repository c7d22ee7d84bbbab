//! Secrets of an operator: set from files, sealed under a key, and under another after a rotation.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    Cli, Client, Database, Output, Server, TlsFiles, address, cobro, deployment, make_certificate, set_up,
};

const CANARIES: [&str; 2] = ["canary-of-the-first-half", "canary-of-the-second-half"];

/// Sets up an AZUL account with credentials and a certificate; returns merchant and account.
fn entrust(cli: &Cli) -> (String, String) {
    assert!(cli.run(&["migrate"]).is_success);
    let merchant = cli.merchant();
    let tenant = ["--merchant", &merchant, "--mode", "test"];
    let made = cli.run(&[&["account", "create"], &tenant[..], &["--provider", "azul"]].concat());
    let account = made.text("merchantAccountId");
    make_certificate(cli.path("signing.p12").as_ref(), "from the environment");
    cli.run(&[&["certificate", "import"], &tenant[..], &["--file", &cli.path("signing.p12")]].concat()).json();
    TlsFiles::make(cli.folder(), &["one"]);
    (merchant, account)
}

fn set(cli: &Cli, (merchant, account): &(String, String), credentials: &Value) -> Output {
    fs::write(cli.path("credentials.json"), credentials.to_string()).unwrap();
    let tenant = ["account", "credentials", "--merchant", merchant, "--mode", "test", "--account", account];
    let (file, certificate, key) = (cli.path("credentials.json"), cli.path("one.pem"), cli.path("one.key"));
    let files = ["--file", &file, "--certificate", &certificate, "--private-key", &key];
    cli.run(&[&tenant[..], &files[..]].concat())
}

fn credentials() -> Value {
    json!({ "merchantId": "39000000001", "auth1": CANARIES[0], "auth2": CANARIES[1] })
}

#[tokio::test]
async fn credentials_are_read_from_files_and_never_printed() {
    let cli = Cli::open("credentials").await;
    let account = entrust(&cli);

    let first = set(&cli, &account, &credentials());
    let second = set(&cli, &account, &credentials()).json();
    let mut wrong = credentials();
    wrong["auth2"] = json!(format!("{}\n", CANARIES[1]));
    let refused = set(&cli, &account, &wrong);
    let unknown_account =
        set(&cli, &(account.0, "merchant_account_00000000000000000000000000".to_owned()), &credentials());
    let shown = cli.run(&["vault", "rotate"]);

    assert_eq!((&first.json()["lifecycle"], &first.json()["credentialVersion"]), (&json!("active"), &json!(1)));
    assert_eq!(second["credentialVersion"], 2);
    assert!(refused.stderr.contains("auth2: The value must be 1 to 256 printable characters of ASCII."), "{refused:?}");
    assert!(unknown_account.stderr.contains("no such account"), "{unknown_account:?}");
    let rows = cli.database.rows("account_credentials").await;
    assert_eq!(rows.len(), 2);
    let key = fs::read_to_string(cli.path("one.key")).unwrap();
    let secrets = CANARIES.map(str::to_owned).into_iter().chain(key.lines().skip(1).take(3).map(str::to_owned));
    let output = [&first, &refused, &unknown_account, &shown].map(|it| format!("{}{}", it.stdout, it.stderr)).concat();
    for secret in secrets {
        let as_bytes: String = secret.bytes().map(|it| format!("{it:02x}")).collect();
        for text in rows.iter().chain([&output]) {
            assert!(!text.contains(&secret) && !text.contains(&as_bytes), "{text}");
        }
    }
}

#[tokio::test]
async fn a_new_key_is_put_in_front_and_everything_under_it() {
    let cli = Cli::open("rotation").await;
    let account = entrust(&cli);
    set(&cli, &account, &credentials()).json();
    let old = fs::read_to_string(cli.key_file()).unwrap();
    let before = cli.database.rows("account_credentials").await;

    let rotated = cli.run(&["vault", "rotate", "--new-key"]).json();
    let again = cli.run(&["vault", "rotate"]).json();

    assert_eq!(rotated, json!({ "secrets": 2, "resealed": 2, "unopened": 0, "superseded": 0, "missed": 0 }));
    assert_eq!(again, json!({ "secrets": 2, "resealed": 0, "unopened": 0, "superseded": 0, "missed": 0 }));
    assert_ne!(cli.database.rows("account_credentials").await, before);
    let keys = fs::read_to_string(cli.key_file()).unwrap();
    assert_eq!(keys.lines().collect::<Vec<_>>()[1..], [old.trim()]);
    // The new key alone opens all secrets, the old key none.
    let new = keys.lines().next().unwrap();
    let with_new = cli.run_with_key(&["vault", "rotate"], new);
    let with_old = cli.run_with_key(&["vault", "rotate"], old.trim());
    let added = cli.run_with_key(&["vault", "rotate", "--new-key"], new);
    assert_eq!(with_new.json()["unopened"], 0);
    assert!(!with_old.is_success && with_old.stderr.contains("the key does not match"), "{with_old:?}");
    assert!(added.stderr.contains("a new key needs a key file"), "{added:?}");
    for text in [new, old.trim()] {
        assert!(!with_old.stderr.contains(text) && !added.stderr.contains(text));
    }
}

#[tokio::test]
async fn a_signing_secret_on_its_way_out_is_sealed_anew_too() {
    let database = Database::empty("two_secrets").await;
    let (folder, settings) = deployment(&database);
    let (merchant, _) = set_up(&database, &folder, false);
    let file = folder.path().join("master.key");
    let variables = [("COBRO_DATABASE_URL", database.url.as_str()), ("COBRO_MASTER_KEY_FILE", file.to_str().unwrap())];
    let tenant = ["--merchant", &merchant, "--mode", "test", "--role", "admin"];
    let admin = cobro(&[&["key", "create"], &tenant[..]].concat(), &variables).text("apiKey");
    let server = Server::start(folder.path(), &["serve", "--config", &settings, "--without-worker"]);
    let admin = Client::new(&address(&server).await, &admin);
    let request = json!({ "url": "https://cobro.example/events", "enabledEvents": ["*"] });
    let endpoint = admin.post_own("/v1/webhook_endpoints", "endpoint", &request).await.text("/id");
    let path = format!("/v1/webhook_endpoints/{endpoint}/secret-rotations");
    assert_eq!(admin.post_own(&path, "rotation", &json!({ "overlapSeconds": 3600 })).await.status, 201);

    let rotated = cobro(&["vault", "rotate", "--new-key"], &variables).json();
    let keys = fs::read_to_string(&file).unwrap();
    fs::write(&file, keys.lines().next().unwrap()).unwrap();
    let with_new_alone = cobro(&["vault", "rotate"], &variables).json();

    // The key of the certificate, and both secrets of the endpoint.
    assert_eq!(rotated, json!({ "secrets": 3, "resealed": 3, "unopened": 0, "superseded": 0, "missed": 0 }));
    assert_eq!(with_new_alone, json!({ "secrets": 3, "resealed": 0, "unopened": 0, "superseded": 0, "missed": 0 }));
}

#[tokio::test]
async fn a_rotation_that_broke_off_is_finished_the_next_time() {
    let cli = Cli::open("broken_rotation").await;
    let account = entrust(&cli);
    set(&cli, &account, &credentials()).json();
    let old = fs::read_to_string(cli.key_file()).unwrap();

    // Only the key file was changed, as after a crash in the middle.
    fs::write(cli.key_file(), format!("{}\n{}\n", "cd".repeat(32), old.trim())).unwrap();
    let second_version = set(&cli, &account, &credentials()).json();
    let finished = cli.run(&["vault", "rotate"]).json();

    assert_eq!(second_version["credentialVersion"], 2);
    assert_eq!((&finished["secrets"], &finished["resealed"]), (&json!(3), &json!(2)));
}

/// Old credentials and certificate under a lost key.
#[tokio::test]
async fn what_was_replaced_and_does_not_open_stops_no_rotation() {
    let cli = Cli::open("superseded").await;
    let account = entrust(&cli);
    set(&cli, &account, &credentials()).json();
    let lost = fs::read_to_string(cli.key_file()).unwrap();
    fs::write(cli.key_file(), "cd".repeat(32)).unwrap();
    let refused = cli.run(&["vault", "rotate"]);
    let with_what_counts = cli.run(&["vault", "rotate", "--lost-key"]);
    let examined = cli.run(&["doctor"]);
    set(&cli, &account, &credentials()).json();
    let tenant = ["certificate", "import", "--merchant", &account.0, "--mode", "test", "--file"];
    cli.run(&[&tenant[..], &[&cli.path("signing.p12")]].concat()).json();

    let rotated = cli.run(&["vault", "rotate", "--new-key"]);
    let found = format!("{}\n{}", fs::read_to_string(cli.key_file()).unwrap(), lost);
    fs::write(cli.key_file(), found).unwrap();
    let with_the_lost = cli.run(&["vault", "rotate"]).json();

    assert!(refused.stderr.contains("`cobro vault rotate --lost-key`"), "{refused:?}");
    assert!(
        !with_what_counts.is_success && with_what_counts.stdout.contains(r#""unopened":2"#),
        "{with_what_counts:?}"
    );
    assert!(!examined.is_success && examined.stdout.contains("fail key: 2 secrets"), "{examined:?}");
    assert_eq!(
        rotated.json(),
        json!({ "secrets": 4, "resealed": 2, "unopened": 0, "superseded": 2, "missed": 0 }),
        "{rotated:?}"
    );
    assert_eq!((&with_the_lost["resealed"], &with_the_lost["superseded"]), (&json!(2), &json!(0)));
}

#[tokio::test]
async fn a_key_is_in_a_file_or_in_the_environment_and_not_in_both() {
    let cli = Cli::open("key_sources").await;
    assert!(cli.run(&["migrate"]).is_success);

    let variables = |second_version: &[(&'static str, String)]| {
        let mut all = vec![("COBRO_DATABASE_URL", cli.database.url.clone())];
        all.extend_from_slice(second_version);
        let all: Vec<(&str, &str)> = all.iter().map(|(name, value)| (*name, value.as_str())).collect();
        crate::support::cobro(&["vault", "rotate"], &all)
    };
    let (file, key) = (cli.key_file().to_str().unwrap().to_owned(), "ab".repeat(32));
    let from_file = variables(&[("COBRO_MASTER_KEY_FILE", file.clone())]);
    let from_environment = variables(&[("COBRO_MASTER_KEY", key.clone())]);
    let from_both = variables(&[("COBRO_MASTER_KEY_FILE", file), ("COBRO_MASTER_KEY", key)]);
    let from_nowhere = variables(&[]);
    let not_a_key = variables(&[("COBRO_MASTER_KEY", "hunter2".to_owned())]);

    assert_eq!(from_file.json()["secrets"], 0);
    assert!(from_environment.stderr.contains("the key does not match"), "{from_environment:?}");
    assert!(from_both.stderr.contains("one too many"), "{from_both:?}");
    assert!(from_nowhere.stderr.contains("--master-key-file is missing"), "{from_nowhere:?}");
    assert!(!not_a_key.is_success && !not_a_key.stderr.contains("hunter2"), "{not_a_key:?}");
}
