//! Copies of the register of taxpayers, on PostgreSQL if `TEST_DATABASE_URL` is set.

use std::sync::Arc;

use app::{StoredRegister, operators::import_register};
use chrono::TimeDelta;
use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use domain::fiscal::{TaxId, Taxpayer};
use ports::{Clock, RegisterEntry, TaxpayerDirectory, TaxpayerRegister};
use storage::Postgres;
use testkit::{memory::TestClock, sample::noon};

use crate::races::database::Database;

const COMPANY: &str = "101000007";
const PERSON: &str = "00100000017";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    tax_id: String,
}

struct Office {
    store: Arc<Postgres>,
    clock: Arc<TestClock>,
    database: Database,
}

impl Office {
    async fn open() -> Option<Self> {
        std::env::var_os("TEST_DATABASE_URL")?;
        let database = Database::fresh().await;
        let store = Arc::new(Postgres::connect(&database.url()).await.unwrap());
        Some(Self { store, clock: Arc::new(TestClock::default()), database })
    }

    async fn import(&self, days_ago: i64, batches: &[&[(&str, &str, &str)]], at_least: u64) -> Result<u64, String> {
        let mut batches = batches.iter().map(|it| entries(it));
        let as_of = self.clock.now() - TimeDelta::days(days_ago);
        let next = async || Ok(batches.next());
        let imported = import_register(self.store.as_ref(), self.clock.as_ref(), (as_of, at_least), next, |_| {}).await;
        imported.map_err(|error| error.to_string())
    }

    /// Imports a file that breaks after its first batch.
    async fn import_until_it_breaks(&self, batch: &[(&str, &str, &str)]) -> Result<u64, String> {
        let mut batches = vec![Err("the archive is damaged".into()), Ok(Some(entries(batch)))];
        let next = async || batches.pop().unwrap_or(Ok(None));
        let (store, clock) = (self.store.as_ref(), self.clock.as_ref());
        let imported = import_register(store, clock, (clock.now(), 1), next, |_| {}).await;
        imported.map_err(|error| error.to_string())
    }

    async fn find(&self, tax_id: &str) -> Result<Option<Taxpayer>, String> {
        let directory = StoredRegister::new(self.store.clone(), self.clock.clone());
        let found = directory.find(&TaxId::parse(tax_id).unwrap()).await;
        found.map_err(|error| error.source.to_string())
    }

    async fn name(&self, tax_id: &str) -> Option<String> {
        self.find(tax_id).await.unwrap().map(|it| it.legal_name)
    }

    async fn rows(&self) -> Vec<String> {
        let mut connection = AsyncPgConnection::establish(&self.database.url()).await.unwrap();
        let rows: Vec<Row> = sql_query("SELECT tax_id FROM taxpayers ORDER BY 1").load(&mut connection).await.unwrap();
        rows.into_iter().map(|it| it.tax_id).collect()
    }
}

fn entries(batch: &[(&str, &str, &str)]) -> Vec<RegisterEntry> {
    let entry = |&(tax_id, legal_name, status): &(&str, &str, &str)| {
        let [tax_id, legal_name, status] = [tax_id, legal_name, status].map(str::to_owned);
        RegisterEntry { tax_id, legal_name, status }
    };
    batch.iter().map(entry).collect()
}

#[tokio::test]
async fn a_complete_copy_replaces_the_previous_one() {
    let Some(office) = Office::open().await else { return };
    let none = office.find(COMPANY).await.unwrap_err();

    office.import(2, &[&[(COMPANY, "UNA", "ACTIVO")], &[(PERSON, "ANA", "SUSPENDIDO")]], 2).await.unwrap();
    let first = [office.find(COMPANY).await.unwrap().unwrap(), office.find(PERSON).await.unwrap().unwrap()];
    office.import(1, &[&[(COMPANY, "OTRA", "ACTIVO")]], 1).await.unwrap();

    assert_eq!(none, "no copy was imported");
    let [company, person] = first;
    assert_eq!((company.legal_name.as_str(), company.is_active, company.is_government), ("UNA", true, false));
    assert!(!person.is_active);
    assert_eq!(office.name(COMPANY).await.as_deref(), Some("OTRA"));
    assert_eq!(office.name(PERSON).await, None, "it is not listed any more");
    assert_eq!(office.rows().await, [COMPANY], "the copy before it is gone");
}

#[tokio::test]
async fn of_a_number_that_is_listed_twice_the_last_counts() {
    let Some(office) = Office::open().await else { return };
    let twice = [(COMPANY, "UNA", "ACTIVO"), (COMPANY, "DOS", "ACTIVO")];

    let listed = office.import(0, &[&twice, &[(COMPANY, "TRES", "DADO DE BAJA")]], 1).await.unwrap();

    assert_eq!(listed, 1);
    let found = office.find(COMPANY).await.unwrap().unwrap();
    assert_eq!((found.legal_name.as_str(), found.is_active), ("TRES", false));
}

#[tokio::test]
async fn an_incomplete_register_is_refused() {
    let Some(office) = Office::open().await else { return };
    office.import(1, &[&[(COMPANY, "UNA", "ACTIVO")]], 1).await.unwrap();

    let few = office.import(0, &[&[(COMPANY, "OTRA", "ACTIVO")]], 2).await.unwrap_err();
    let early = office.import(-1, &[&[(COMPANY, "OTRA", "ACTIVO")]], 1).await.unwrap_err();
    let broken = office.import_until_it_breaks(&[(COMPANY, "OTRA", "ACTIVO")]).await.unwrap_err();
    let old = office.import(3, &[&[(COMPANY, "VIEJA", "ACTIVO")]], 1).await.unwrap_err();
    assert_eq!(office.rows().await, [COMPANY], "nothing is left of them");
    // An import crashes, and another one begins within the hour.
    let copy = office.store.begin(office.clock.now(), office.clock.now()).await.unwrap();
    let half = RegisterEntry { tax_id: COMPANY.to_owned(), legal_name: "OTRA".to_owned(), status: "ACTIVO".to_owned() };
    office.store.add(copy, vec![half]).await.unwrap();
    office.import(1, &[&[(COMPANY, "UNA", "ACTIVO")]], 1).await.unwrap();
    assert_eq!(office.rows().await, [COMPANY, COMPANY], "it may still be at it");

    assert_eq!(broken, "an internal error occurred");
    assert!(old.starts_with("the copy is older than the one in force, of 2026-02-28"), "{old}");
    assert_eq!(few, "the copy has fewer taxpayers than the whole register");
    assert_eq!(early, "the register is of a day that has not come");
    assert_eq!(office.name(COMPANY).await.as_deref(), Some("UNA"));
    office.clock.advance(TimeDelta::minutes(61));
    office.store.tidy(office.clock.now()).await.unwrap();
    assert_eq!(office.rows().await, [COMPANY]);
    assert!(office.store.publish(copy).await.is_err(), "it was removed");
}

#[tokio::test]
async fn a_copy_answers_for_fourteen_days() {
    let Some(office) = Office::open().await else { return };
    office.import(0, &[&[(COMPANY, "UNA", "ACTIVO")]], 1).await.unwrap();

    office.clock.advance(TimeDelta::days(14));
    assert_eq!(office.name(COMPANY).await.as_deref(), Some("UNA"));
    office.clock.advance(TimeDelta::milliseconds(1));

    let day = noon().date_naive();
    assert_eq!(office.find(COMPANY).await.unwrap_err(), format!("the newest copy is of {day}, which is too old"));
    let [listed, unlisted] = [COMPANY, PERSON].map(|it| TaxId::parse(it).unwrap());
    let directory = StoredRegister::new(office.store.clone(), office.clock.clone());
    assert!(directory.lists(&listed).await.unwrap(), "a number does not cease to exist with the copy");
    assert!(!directory.lists(&unlisted).await.unwrap());
}
