use std::{fs, path::Path};

use testkit::database_role;

use crate::support::{APPROVED_CARD, Database, Sandbox};

/// Test cards with different outcomes.
const CARDS: [&str; 4] = [APPROVED_CARD, "4222220000000511", "4222220005000003", "4222220003000997"];
/// The security code as a text: three digits alone are everywhere.
const SECURITY_CODE: &str = "\"974\"";

#[tokio::test]
async fn a_card_is_nowhere_afterwards() {
    let mut sandbox = Sandbox::start().await;
    let client = sandbox.client();
    for (index, number) in CARDS.iter().enumerate() {
        let created = client.create(&format!("sale-{index}")).await;
        client.pay(&created, number, &format!("pay-{index}")).await.unwrap();
        // A body that is refused must not be quoted, either.
        let cut_off = &number[..15];
        client.pay(&created, cut_off, &format!("wrong-{index}")).await.unwrap();
    }
    sandbox.crash().await;
    let while_running = found(&sandbox.everything());
    sandbox.stop("TERM").await;

    assert_eq!(while_running, Vec::<String>::new());
    assert_eq!(found(&sandbox.everything()), Vec::<String>::new());
}

/// Every library that is in the program speaks, and so does the driver of the database.
#[tokio::test]
async fn no_level_of_logging_tells_a_secret() {
    let database = Database::empty("trace").await;
    for storage in [&[][..], &["--database-url", &database.url]] {
        let mut sandbox = Sandbox::start_with(&[storage, &["--log", "trace"]].concat()).await;
        let client = sandbox.client();
        let key = sandbox.text("merchantApiKey").to_owned();
        let mut secrets: Vec<String> = CARDS.iter().map(|&it| it.to_owned()).collect();
        for (index, number) in CARDS.iter().enumerate() {
            let created = client.create(&format!("sale-{index}")).await;
            client.pay(&created, number, &format!("pay-{index}")).await.unwrap();
            client.pay(&created, &number[..15], &format!("wrong-{index}")).await.unwrap();
            secrets.extend([number[..15].to_owned(), created.token]);
        }
        sandbox.stop("TERM").await;

        secrets.extend([key, SECURITY_CODE.to_owned(), database_role::PASSWORD.to_owned()]);
        let words: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let leaking = files(&sandbox.everything(), &words);
        assert!(!leaking.contains(&"stderr".to_owned()), "{leaking:?}");
        assert_eq!(files(&sandbox.everything(), &["TRACE"]), ["stderr"]);
    }
}

#[tokio::test]
async fn keys_are_in_the_memory_of_the_sandbox_alone() {
    let mut sandbox = Sandbox::start().await;
    let key = sandbox.text("merchantApiKey").to_owned();
    let created = sandbox.client().sell("first").await;
    sandbox.stop("TERM").await;

    let with_key: Vec<String> = files(&sandbox.everything(), &[&key]);
    let with_token: Vec<String> = files(&sandbox.everything(), &[&created.token]);

    assert_eq!(with_key, ["sandbox.json", "stdout"]);
    assert_eq!(with_token, Vec::<String>::new());
}

fn found(folder: &Path) -> Vec<String> {
    let cut_off = CARDS.map(|it| &it[..15]);
    files(folder, &[&CARDS[..], &cut_off[..], &[SECURITY_CODE]].concat())
}

/// The names of the files below `folder` that contain any of `words`.
fn files(folder: &Path, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, words));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let contains = |word: &&str| bytes.windows(word.len()).any(|it| it == word.as_bytes());
        if words.iter().any(contains) {
            found.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    found.sort();
    found
}
