//! The acquirer's journal.

use std::{fs, io::Write, path::PathBuf};

use chrono::TimeDelta;
use ports::{CallOutcome, LookUp};
use sandbox::{Acquirer, JournalError};
use tempfile::TempDir;

use crate::till::{Till, is_approved};

const GOOD: &str = "4222220000000008";
const LATE: &str = "4222220008000000";

fn journal() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("acquirer.jsonl");
    (folder, path)
}

#[tokio::test]
async fn transactions_survive_a_restart() {
    let (_folder, path) = journal();
    let before = Till::with_journal(&path);
    before.charge(1, GOOD).await;
    before.charge(2, "4222220005000516").await;
    before.charge(3, LATE).await;
    before.open(4, "sandbox:verifying:nothing").await;
    before.charge(5, GOOD).await;
    before.reverse(5).await;
    let listed = before.acquirer.transactions();
    drop(before);

    let after = Till::with_journal(&path);

    assert_eq!(after.acquirer.transactions(), listed);
    assert!(is_approved(&after.look_up(1).await));
    assert_eq!(after.look_up(3).await, LookUp::NotFound);
    assert_eq!(after.look_up(5).await, LookUp::NotFound);
    after.clock.advance(TimeDelta::minutes(5));
    assert!(is_approved(&after.look_up(3).await));
}

#[tokio::test]
async fn names_go_on_after_a_restart() {
    let (_folder, path) = journal();
    let before = Till::with_journal(&path);
    before.charge(1, GOOD).await;
    let reversed = before.reverse(1).await.reference.unwrap();
    drop(before);

    let after = Till::with_journal(&path).charge(2, GOOD).await.reference.unwrap();

    assert_eq!(reversed, "2026030108000000000002");
    assert_eq!(after, "2026030108000000000003");
}

#[tokio::test]
async fn a_torn_last_line_is_cut_off() {
    // No line break, half a value, and noise with a line break.
    for torn in ["{\"entry\":\"subm", "{", "\0\0\0\n"] {
        let (_folder, path) = journal();
        Till::with_journal(&path).charge(1, GOOD).await;
        let whole = fs::read(&path).unwrap();
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(torn.as_bytes()).unwrap();

        let till = Till::with_journal(&path);

        assert_eq!(fs::read(&path).unwrap(), whole, "{torn:?}");
        assert_eq!(till.charge(2, GOOD).await.outcome, CallOutcome::Approved);
        drop(till);
        assert_eq!(Till::with_journal(&path).statuses(), ["approved", "approved"]);
    }
}

#[tokio::test]
async fn a_line_that_makes_no_sense_is_not_passed_over() {
    let (_folder, path) = journal();
    let till = Till::with_journal(&path);
    till.charge(1, GOOD).await;
    till.charge(2, GOOD).await;
    drop(till);
    let lines = fs::read_to_string(&path).unwrap();

    let damaged = [lines.replacen("\"truth\":\"approved\"", "\"truth\":\"perhaps\"", 1), lines.replacen('{', "(", 1)];

    for text in damaged {
        fs::write(&path, text).unwrap();
        let clock = std::sync::Arc::new(testkit::memory::TestClock::default());
        let opened = Acquirer::open(&path, clock, std::sync::Arc::default());
        assert!(matches!(opened, Err(JournalError::Damaged { line: 1 })));
    }
}

#[tokio::test]
async fn a_journal_has_one_writer() {
    let (_folder, path) = journal();
    let till = Till::with_journal(&path);

    let second = Acquirer::open(&path, till.clock.clone(), till.faults.clone());

    assert!(matches!(second, Err(JournalError::InUse)));
}

#[tokio::test]
async fn no_card_number_and_no_code_is_in_the_journal_or_the_list() {
    let (_folder, path) = journal();
    let till = Till::with_journal(&path);
    let numbers = [GOOD, LATE, "4260550061845872", "4222220000000511", "4242424242424242"];
    for (n, number) in (1..).zip(numbers) {
        till.charge(n, number).await;
    }

    let journal = fs::read_to_string(&path).unwrap();
    let listed = till.acquirer.transactions();

    for number in numbers {
        // Not even the middle of a number, which with brand and last digits would nearly complete the number.
        for secret in [number, &number[..9], &number[4..12], "\"987\"", "Rosa Prueba"] {
            assert!(!journal.contains(secret), "{secret} in the journal");
            assert!(!format!("{listed:?}").contains(secret), "{secret} in the list");
        }
    }
    assert!(listed.iter().all(|it| it.last4.as_deref() != Some("987") && it.brand.is_some()));
    assert_eq!(listed.last().unwrap().last4.as_deref(), Some("0008"));
}
