//! The register of taxpayers: import of DGII's file, and queries.

use std::{
    fs,
    io::{Cursor, Write},
    process::Command,
};

use chrono::{NaiveDate, TimeDelta};
use domain::fiscal::end_of_day;
use serde_json::json;
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::support::Cli;

const TEXT: &[u8] = b"101000007|COMERCIAL BAH\xcdA, SRL||VENTAS| | | | |30/06/2020|ACTIVO|NORMAL\r\n\
    00100000017|ANA PE\xd1A||| | | | ||SUSPENDIDO|NORMAL\r\n\
    unknown\r\n";

/// The day in the Dominican Republic.
fn today() -> NaiveDate {
    let output = Command::new("date").env("TZ", "AST4").arg("+%F").output().unwrap().stdout;
    String::from_utf8(output).unwrap().trim().parse().unwrap()
}

fn packed(name: &str) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file(name, SimpleFileOptions::default()).unwrap();
    archive.write_all(TEXT).unwrap();
    archive.finish().unwrap().into_inner()
}

#[tokio::test]
async fn the_register_is_imported_as_it_is_published_or_not_at_all() {
    let cli = Cli::open("directory").await;
    cli.run(&["migrate"]);
    let import = |name: &str, content: &[u8], options: &[&str]| {
        fs::write(cli.path(name), content).unwrap();
        cli.run(&[&["directory", "import", &cli.path(name)], options].concat())
    };

    let without_minimum = import("register.txt", TEXT, &[]);
    let rows_before = cli.database.rows("taxpayers").await;
    let of_tomorrow = import("register.txt", TEXT, &["--as-of", "2999-01-01", "--at-least", "2"]);
    let other = import("other.zip", &packed("TMP/README.md"), &["--at-least", "2"]);
    let error_page = import("error_page.zip", b"PK\x03\x04<html>", &["--at-least", "2"]);
    let mut damaged = packed("TMP/DGII_RNC.TXT");
    // A byte of the compressed data, after the header of 46 bytes.
    damaged[66] ^= 1;
    let damaged = import("damaged.zip", &damaged, &["--as-of", "2026-09-26", "--at-least", "2"]);
    let garbage = import("garbage.txt", b"<html>not found</html>\n", &["--as-of", "2020-01-01"]);
    let rows_after = cli.database.rows("taxpayers").await;
    let whole = import("register.zip", &packed("TMP/DGII_RNC.TXT"), &["--as-of", "2026-09-26", "--at-least", "2"]);

    assert!(
        without_minimum.stderr.contains("the copy has fewer taxpayers than the whole register"),
        "{}",
        without_minimum.stderr
    );
    assert!(rows_before.is_empty() && !without_minimum.is_success, "{rows_before:?}");
    assert!(of_tomorrow.stderr.contains("of a day that has not come"), "{}", of_tomorrow.stderr);
    assert!(other.stderr.contains("no name ends with .TXT or .CSV"), "{}", other.stderr);
    assert!(
        !error_page.is_success && error_page.stderr.contains("error_page.zip cannot be read"),
        "{}",
        error_page.stderr
    );
    assert!(!damaged.is_success && damaged.stderr.contains("damaged.zip cannot be read"), "{damaged:?}");
    assert!(garbage.stderr.contains("garbage.txt is no register of taxpayers"), "{garbage:?}");
    assert!(rows_after.is_empty(), "{rows_after:?}");
    let expected = json!({ "asOf": "2026-09-27T03:59:59+00:00", "taxpayers": 2, "unusableLines": 1 });
    assert_eq!(whole.json(), expected);
    assert!(whole.stderr.contains("the register of taxpayers is of 2026-09-27, which is too old"), "{whole:?}");
    let copies = cli.database.rows("register_copies").await;
    let rows = cli.database.rows("taxpayers").await.join("\n");
    assert!(copies.iter().any(|it| it.contains("true") || it.ends_with("t)") || it.contains(",t")), "{copies:?}");
    let older = import("older.zip", &packed("TMP/DGII_RNC.TXT"), &["--as-of", "2026-09-25", "--at-least", "2"]);
    let sentence = "the previous copy stays in force: the copy is older than the one in force, of 2026-09-26 23:59";
    assert!(!older.is_success && older.stdout.is_empty() && older.stderr.contains(sentence), "{older:?}");
    assert_eq!(cli.database.rows("register_copies").await, copies);
    assert!(rows.contains("COMERCIAL BAHÍA, SRL") && rows.contains("ANA PEÑA"), "{rows}");
    let touched = import("touched.txt", TEXT, &["--at-least", "2"]);
    let today = today().to_string();
    let of_today = import("today.txt", TEXT, &["--as-of", &today, "--at-least", "2"]);
    assert!(touched.is_success && of_today.is_success, "{touched:?} {of_today:?}");
}

/// Every known format of the register, and similar files that are not registers.
#[tokio::test]
async fn every_form_of_the_register_is_imported_and_a_file_without_statuses_replaces_no_copy() {
    let cli = Cli::open("directory_forms").await;
    cli.run(&["migrate"]);
    let fixture =
        |name: &str| fs::read(format!("{}/../../fixtures/register/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let import = |name: &str, content: &[u8]| {
        fs::write(cli.path(name), content).unwrap();
        cli.run(&["directory", "import", &cli.path(name), "--at-least", "2"])
    };
    let packed = |files: &[(&str, &[u8])]| {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(content).unwrap();
        }
        archive.finish().unwrap().into_inner()
    };
    let text = fixture("a_ok.txt");
    let wider = text.split(|it| *it == b'\r').collect::<Vec<_>>().join(&b"|SI\r"[..]);
    for (name, content) in [
        ("trailing.txt", fixture("trailing_bar.txt")),
        ("utf8.txt", fixture("utf8.txt")),
        ("marked.txt", [b"\xef\xbb\xbf".to_vec(), fixture("utf8.txt")].concat()),
        ("wider.txt", wider),
        ("b.csv", fixture("b.csv")),
        ("RNC_CONTRIBUYENTES.zip", packed(&[("TMP/RNC_CONTRIBUYENTES.CSV", &fixture("b.csv"))])),
        ("second.zip", packed(&[("LEAME.txt", b"Registro de contribuyentes"), ("DGII_RNC.TXT", &text)])),
    ] {
        let import = ["directory", "import", &cli.path(name), "--at-least", "2", "--as-of", &today().to_string()];
        fs::write(cli.path(name), content).unwrap();
        let imported = cli.run(&import).json();

        assert_eq!((&imported["taxpayers"], &imported["unusableLines"]), (&6.into(), &0.into()), "{name}: {imported}");
        let rows = cli.database.rows("taxpayers").await.join("\n");
        assert_eq!(rows.matches("ACTIVO").count(), 5, "{name}: {rows}");
        assert!(rows.contains("COMERCIAL LA BAHÍA, SRL") && rows.contains("ANA PEÑA"), "{name}: {rows}");
    }

    let copies = cli.database.rows("register_copies").await;
    let bare = String::from_utf8_lossy(&text).replace("ACTIVO", "1").replace("CESE TEMPORAL", "2");
    let refused = import("bare.txt", bare.as_bytes());
    assert!(!refused.is_success && refused.stderr.contains("is no register of taxpayers"), "{refused:?}");
    assert_eq!(cli.database.rows("register_copies").await, copies);
}

/// DGII does not publish every day: then the same archive comes again.
#[tokio::test]
async fn a_register_of_yesterday_that_came_yesterday_comes_again_today() {
    let cli = Cli::open("directory_again").await;
    cli.run(&["migrate"]);
    let yesterday = today().pred_opt().unwrap();
    // 20:30 in Santo Domingo is already the next day in UTC.
    let came = end_of_day(yesterday) - TimeDelta::minutes(210);
    let millis = came.timestamp_millis();
    cli.database
        .execute(&format!(
            "INSERT INTO register_copies (as_of, started_at, is_complete) VALUES ({millis}, {millis}, true)"
        ))
        .await;
    fs::write(cli.path("register.zip"), packed("TMP/DGII_RNC.TXT")).unwrap();

    let import =
        |day: &str| cli.run(&["directory", "import", &cli.path("register.zip"), "--as-of", day, "--at-least", "2"]);
    let before = import(&yesterday.pred_opt().unwrap().to_string());
    let again = import(&yesterday.to_string());

    assert!(before.stderr.contains("the copy is older than the one in force"), "{before:?}");
    assert!(again.is_success, "{again:?}");
}
