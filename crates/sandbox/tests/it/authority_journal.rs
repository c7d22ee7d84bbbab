use std::{fs, io::Write, path::PathBuf, sync::Arc};

use domain::fiscal::{ProblemCode::*, Verdict};
use ports::TaxAuthority;
use sandbox::{Authority, Fault, JournalError, Target};
use tempfile::TempDir;
use xml_signer::XmlSigner;

use crate::unsigned::{ACCEPTED, AuthorityBackend, fiscal_credit, rejected, submission, summary};

fn journal() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("authority.jsonl");
    (folder, path)
}

#[tokio::test]
async fn documents_survive_a_restart() {
    let (_folder, path) = journal();
    let before = AuthorityBackend::with_journal(&path);
    let refused = fiscal_credit().numbered("E310000000002").with("101000007", "101000008");
    before.send(&fiscal_credit()).await;
    before.send(&refused).await;
    before.send(&summary().invoiced("OB-1")).await;
    before.authority.submit(submission(&fiscal_credit().numbered("E310000000003"), b"\xff".to_vec())).await;
    let listed = before.documents().await;
    drop(before);

    let after = AuthorityBackend::with_journal(&path);

    assert_eq!(listed.len(), 4);
    assert_eq!(after.documents().await, listed);
    assert_eq!(after.send(&fiscal_credit()).await, Verdict::Duplicate);
    assert_eq!(after.ask(&fiscal_credit()).await, ACCEPTED);
    assert_eq!(after.ask(&refused).await, rejected(BuyerTaxIdNotRegistered, true));
    assert_eq!(after.send(&fiscal_credit().numbered("E310000000003")).await, ACCEPTED);
}

#[tokio::test]
async fn wishes_go_on_after_a_restart() {
    let (_folder, path) = journal();
    let (down, refused) = (summary().invoiced("DOWN-1"), fiscal_credit().invoiced("RJ-1"));
    let before = AuthorityBackend::with_journal(&path);
    before.send(&down).await;
    before.send(&down).await;
    before.send(&refused).await;
    drop(before);

    let after = AuthorityBackend::with_journal(&path);

    assert_eq!(after.send(&down).await, Verdict::Unavailable);
    assert_eq!(after.send(&down).await, ACCEPTED);
    assert_eq!(after.send(&refused.numbered("E310000000002").corrected()).await, ACCEPTED);
}

#[tokio::test]
async fn what_lags_still_lags_after_a_restart() {
    let (_folder, path) = journal();
    let before = AuthorityBackend::with_journal(&path);
    before.faults.inject(Target::Authority, Fault::VisibilityLag, 1).unwrap();
    before.send(&fiscal_credit()).await;
    drop(before);

    let after = AuthorityBackend::with_journal(&path);

    assert_eq!(after.ask(&fiscal_credit()).await, Verdict::NotFound);
    after.clock.advance(chrono::TimeDelta::minutes(5));
    assert_eq!(after.ask(&fiscal_credit()).await, ACCEPTED);
}

#[tokio::test]
async fn a_torn_last_line_is_cut_off() {
    let (_folder, path) = journal();
    AuthorityBackend::with_journal(&path).send(&fiscal_credit()).await;
    let whole = fs::read(&path).unwrap();
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(&whole[..whole.len() / 2]).unwrap();

    let office = AuthorityBackend::with_journal(&path);

    assert_eq!(office.documents().await.len(), 1);
    assert_eq!(office.send(&summary()).await, ACCEPTED);
    drop(office);
    assert_eq!(AuthorityBackend::with_journal(&path).documents().await.len(), 2);
}

#[tokio::test]
async fn an_archive_that_makes_no_sense_is_not_opened() {
    let (_folder, path) = journal();
    let office = AuthorityBackend::with_journal(&path);
    office.send(&fiscal_credit()).await;
    office.send(&summary()).await;
    drop(office);
    let lines = fs::read_to_string(&path).unwrap();
    fs::write(&path, lines.replacen("\"full\"", "\"half\"", 1)).unwrap();

    let opened = Authority::open(
        &path,
        Arc::new(XmlSigner::new()),
        Arc::new(testkit::memory::TestClock::default()),
        Arc::default(),
    );

    assert!(matches!(opened, Err(JournalError::Damaged { line: 1 })));
}

#[cfg(unix)]
#[tokio::test]
async fn the_archive_is_its_owners_alone() {
    use std::os::unix::fs::MetadataExt;
    let (_folder, path) = journal();

    AuthorityBackend::with_journal(&path).send(&fiscal_credit()).await;

    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o077, 0);
}
