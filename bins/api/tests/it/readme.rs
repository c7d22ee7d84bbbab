use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use crate::support::{POLL_TIMEOUT, Server, is_verified_by_xmlsec1, pause};
use tempfile::TempDir;

/// Address in the pages.
const BASE_URL: &str = "http://127.0.0.1:8080";

#[tokio::test]
async fn quick_start_ends_with_a_signed_document() {
    let folder = run_commands_of("README.md").await;

    let document = fs::read(folder.path().join("document.xml")).unwrap();
    assert!(is_verified_by_xmlsec1(&document));
    assert!(fs::read(folder.path().join("document.pdf")).unwrap().starts_with(b"%PDF-1.7"));
    let output = fs::read_to_string(folder.path().join("output")).unwrap();
    assert!(output.contains("<eNCF>E320000000001</eNCF>"), "{output}");
    assert!(output.trim_end().ends_with(r#""status":"succeeded""#), "the sale is refunded: {output}");
}

#[tokio::test]
async fn commands_of_the_splits_page_end_with_one_document() {
    let folder = run_commands_of("docs/SPLITS.md").await;

    let output = fs::read_to_string(folder.path().join("output")).unwrap();
    assert_eq!(output.matches(r#""status":"captured""#).count(), 3, "{output}");
    assert!(is_verified_by_xmlsec1(&fs::read(folder.path().join("shared.xml")).unwrap()));
}

#[tokio::test]
async fn commands_of_the_refunds_page_return_the_whole_bill() {
    let folder = run_commands_of("docs/REFUNDS.md").await;

    let output = fs::read_to_string(folder.path().join("output")).unwrap();
    assert!(output.contains("<MontoTotal>42.69</MontoTotal>"), "{output}");
    assert!(output.contains(r#""refundableAmount":{"currency":"DOP","minorUnits":0}"#), "{output}");
    assert!(is_verified_by_xmlsec1(&fs::read(folder.path().join("note.xml")).unwrap()));
}

#[test]
fn documented_commands_exist() {
    let page = read("docs/COMMANDS.md");
    let commands = page.lines().filter_map(|line| line.strip_prefix("| `cobro ")?.split('|').next());

    let mut found = 0;
    for command in
        commands.flat_map(|cell| cell.split("`, `").map(|it| it.trim().trim_matches('`')).collect::<Vec<_>>())
    {
        let is_word = |it: &&str| it.chars().all(|symbol| symbol.is_ascii_lowercase());
        let words = command.trim_start_matches("cobro ").split(' ').take_while(is_word).chain(["--help"]);
        let words: Vec<&str> = words.collect();
        assert!(crate::support::cobro(&words, &[]).is_success, "there is no `cobro {command}`");
        found += 1;
    }
    assert_eq!(found, 38);
}

#[test]
fn links_lead_to_files() {
    for page in ["README.md", "docs/ARCHITECTURE.md", "docs/COMMANDS.md", "docs/REFUNDS.md", "docs/SPLITS.md"] {
        let text = read(page);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());

        for link in links.filter(|it| !it.starts_with("http")) {
            let file = link.split('#').next().unwrap_or_default();
            let target = root().join(page).parent().unwrap().join(file);
            assert!(target.exists(), "{page} leads to {link}, which does not exist");
        }
    }
}

/// Runs the commands of `page` against a sandbox and returns their folder.
async fn run_commands_of(page: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let arguments = ["sandbox", "--listen", "127.0.0.1:0", "--data-dir"];
    let data = folder.path().join(".cobro");
    let mut server = Server::start(folder.path(), &[&arguments[..], &[data.to_str().unwrap()]].concat());
    let ready: serde_json::Value = serde_json::from_str(&server.first_line().await).unwrap();
    let script = blocks(&read(page)).join("\n").replace(BASE_URL, ready["baseUrl"].as_str().unwrap());

    run(&script, folder.path()).await;
    folder
}

/// Returns the shell commands of a page in order.
fn blocks(text: &str) -> Vec<&str> {
    let blocks: Vec<&str> = text.split("```bash\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty());
    blocks
}

/// Runs the script in `folder` and fails with the first failing command.
async fn run(script: &str, folder: &Path) {
    let output = fs::File::create(folder.join("output")).unwrap();
    let mut command = Command::new("bash");
    command.args(["-e", "-u", "-o", "pipefail", "-c", script]).current_dir(folder).stdin(Stdio::null());
    command.env("no_proxy", "127.0.0.1").stderr(output.try_clone().unwrap()).stdout(output);
    let mut child = command.spawn().unwrap();

    let begun = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if begun.elapsed() > POLL_TIMEOUT => {
                child.kill().unwrap();
                break child.wait().unwrap();
            }
            None => pause().await,
        }
    };
    assert!(status.success(), "{}", fs::read_to_string(folder.join("output")).unwrap());
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
