//! Plans of statements: every statement uses an index.

use std::{collections::BTreeSet, fs, iter, path::Path};

use domain::EventKind;
use ports::{Page, Position, Replay, ReplayedRange, SetupChange};
use testkit::{
    contract::{Stores, done, number_ledger::withdrawal},
    sample,
};

use crate::{exercise::exercise, statements::take};

/// Returns every statement that the stores send.
pub(crate) async fn every_statement(stores: &Stores, url: &str) -> BTreeSet<String> {
    stores.register_merchant().await;
    take(url);
    exercise(stores, 1, |_| {}).await;
    use_ledger(stores).await;
    read_documents(stores).await;
    read_interchange(stores).await;
    replay(stores).await;
    take(url).statements.into_iter().filter(|it| !is_bare(it)).collect()
}

/// Reads and writes the ledger of numbers.
async fn use_ledger(stores: &Stores) {
    let tenant = sample::tenant();
    let ranges = stores.ledger.ranges(&tenant).await.expect("the store answers");
    stores.ledger.assigned(&tenant, &ranges[0], 1, 100).await.expect("the store answers");
    let cut = withdrawal(1, &ranges[0], ranges[0].last, ranges[0].last);
    done(stores.ledger.withdraw(cut.clone()).await, "the range is as it was read");
    stores.ledger.annulment(&tenant, &cut.annulment.id).await.expect("the store answers");
    stores.ledger.settle(&tenant, &cut.annulment).await.expect("the store answers");
    stores.ledger.annulments(&tenant).await.expect("the store answers");
}

/// Reads queues and revisions of documents.
async fn read_documents(stores: &Stores) {
    let (tenant, document) = (sample::tenant(), sample::document_id(1));
    let to = sample::paid(1).document.addressee();
    stores.work.due_renders(sample::noon(), sample::noon(), 10).await.expect("the store answers");
    stores.work.head_of_queue(&tenant, &to).await.expect("the store answers");
    stores.work.next_in_queue(&tenant, &to, &document).await.expect("the store answers");
    for after in [None, Some(Position { created_at: sample::noon(), id: "3".to_owned() })] {
        let page = Page { after, limit: 21 };
        stores.search.revisions(&tenant, &document, &page).await.expect("the store answers");
    }
}

/// Reads received documents and approvals.
async fn read_interchange(stores: &Stores) {
    let (tenant, facts, number) = (sample::tenant(), sample::issued(1).document.facts, sample::numbered(1).number);
    let (issuer, environment) = (&facts.issuer.rnc, facts.environment);
    stores.interchange.recipients(issuer, environment).await.expect("the store answers");
    stores.interchange.received(&tenant, environment, "131880600", number.as_str()).await.expect("the store answers");
    stores.interchange.document_of(&tenant, environment, issuer, number.as_str()).await.expect("the store answers");
    stores.interchange.approval(&tenant, &facts.id).await.expect("the store answers");
}

/// Enqueues the events of a period again, and ends idle sessions.
async fn replay(stores: &Stores) {
    let tenant = sample::tenant();
    for (n, is_only_failed) in [(1, true), (2, false)] {
        let range = ReplayedRange {
            since: sample::noon(),
            until: sample::noon(),
            kinds: vec![EventKind::PaymentSucceeded],
            is_only_failed,
        };
        let change = SetupChange::Replay { endpoint: Box::new(sample::endpoint(101)), replay: Replay::Range(range) };
        done(stores.setup.commit(sample::setup(2000 + n, change)).await, "the key is new");
    }
    stores.credentials.end_idle_sessions(&tenant, &sample::payment_id(1), 1).await.expect("the store answers");
}

/// A file in `sql/`.
pub(crate) struct SqlFile {
    pub(crate) name: String,
    /// The text between the parameters, in the form that is sent.
    parts: Vec<String>,
}

impl SqlFile {
    /// Returns the files for both databases and those of `database`.
    pub(crate) fn all(database: &str) -> Vec<Self> {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/sql"));
        let folders = [folder.to_owned(), folder.join(database)];
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.extension().is_some_and(|it| it == "sql")).map(|path| Self::read(&path)).collect()
    }

    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("a file");
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("--"));
        let text = lines.collect::<Vec<_>>().join(" ").replace("::", "\u{0}");
        let mut parts = text.split(':');
        let first = parts.next().unwrap_or_default();
        let others =
            parts.map(|part| part.trim_start_matches(|symbol: char| symbol.is_ascii_lowercase() || symbol == '_'));
        let parts = iter::once(first).chain(others).map(|part| part.replace('\u{0}', "::").trim_end().to_owned());
        Self { name: path.file_stem().expect("a name").display().to_string(), parts: parts.collect() }
    }

    /// Returns a statement with the text of this file.
    pub(crate) fn find<'a>(&self, statements: &'a BTreeSet<String>) -> Option<&'a String> {
        statements.iter().find(|statement| {
            let mut rest = statement.as_str();
            self.parts.iter().all(|part| match rest.split_once(part.as_str()) {
                Some((_, after)) => {
                    rest = after;
                    true
                }
                None => false,
            })
        })
    }
}

/// Returns whether a statement has no plan: transactions and settings.
fn is_bare(statement: &str) -> bool {
    ["BEGIN", "COMMIT", "ROLLBACK", "PRAGMA", "SET"].iter().any(|it| statement.starts_with(it))
}

/// Checks that the cursor of each list compares exactly the columns of the order. Returns the number of lists with a
/// cursor.
pub(crate) fn check_cursors(statements: &BTreeSet<String>) -> usize {
    let mut continued = 0;
    for statement in statements.iter().filter(|it| it.starts_with("SELECT")) {
        let Some((_, order)) = statement.rsplit_once(" ORDER BY ") else { continue };
        let columns: Vec<&str> = order.split(", ").filter_map(|it| it.split_once(" DESC")).map(|it| it.0).collect();
        let [time, names @ ..] = columns.as_slice() else { continue };
        // A list that is sorted by an expression has no cursor.
        if time.starts_with("CASE") {
            continue;
        }
        let compared = |operator: &str| {
            let places: Vec<usize> = statement.match_indices(operator).map(|(at, _)| at).collect();
            places.into_iter().map(|at| statement[..at].rsplit([' ', '(']).next().unwrap_or_default())
        };
        for column in compared(" <= ").chain(compared(" >= ")) {
            assert_eq!(column, *time, "{statement}");
        }
        let earlier: Vec<&str> = compared(" < ").collect();
        assert!(earlier.iter().all(|it| columns.contains(it)), "{earlier:?} in {statement}");
        if earlier.iter().any(|it| names.contains(it)) {
            assert!(columns.iter().all(|it| earlier.contains(it)), "{earlier:?} in {statement}");
            assert!(statement.contains(&format!("{time} <= ")), "{statement}");
            continued += 1;
        }
    }
    continued
}
