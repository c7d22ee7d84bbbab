//! A restored, older database assigns numbers again that the authority has under other documents.

use std::{any::Any, fs, path::PathBuf};

use app::{
    operators::{
        Finding, Grant, SetupError, Severity, SkipRequest, Skipped, add_sequence, of_sequences, skip_numbers, survey,
    },
    submit_card,
};
use chrono::TimeDelta;
use domain::{
    PaymentId,
    fiscal::{DocumentKind, DocumentStage, DocumentStatus, Environment, ProblemCode},
};
use ports::Clock;
use storage::{Postgres, Sqlite};
use testkit::contract::Stores;

use super::GOOD;
use crate::{
    crashes::{command, world::World},
    races::database::Database,
    support::render,
};

/// A database that can be copied.
enum Original {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Original {
    /// The stores on a copy, and the values that must live as long.
    async fn copy(&self) -> (Stores, Box<dyn Any + Send + Sync>) {
        match self {
            Self::Sqlite(folder) => {
                let copy = tempfile::tempdir().unwrap();
                for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                    fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
                }
                (Stores::of(Sqlite::open(copy.path().join("cobro.db")).await.unwrap()), Box::new(copy))
            }
            Self::Postgres(name) => {
                let copy = Database::copy_of(name).await;
                (Stores::of(Postgres::connect(&copy.url()).await.unwrap()), Box::new(copy))
            }
        }
    }
}

/// Merchants on each database, with a function that copies the database.
async fn worlds() -> Vec<(World, Original)> {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(folder.path().join("cobro.db")).await.unwrap();
    store.migrate().await.unwrap();
    let original = Original::Sqlite(folder.path().to_owned());
    let mut worlds = vec![(World::on(Stores::of(store), Box::new(folder)).await, original)];
    if std::env::var_os("TEST_DATABASE_URL").is_some() {
        let database = Database::fresh().await;
        let original = Original::Postgres(database.name().to_owned());
        let store = Postgres::connect(&database.url()).await.unwrap();
        worlds.push((World::on(Stores::of(store), Box::new(database)).await, original));
    }
    worlds
}

async fn sell(world: &World) -> PaymentId {
    let (ports, (payment, payer)) = (world.ports(None), world.open_sale().await);
    let keyed = world.keyed_as(format!("{}-card", payment.as_str()));
    submit_card(&ports, &payer, &keyed, command(&payment, GOOD), &render).await.unwrap();
    // A contested number is looked up six times, which takes hours.
    World::pass(&world.clock, &ports, TimeDelta::hours(6)).await;
    payment
}

async fn number(world: &World, payment: &PaymentId) -> String {
    let sale = world.sale(payment).await;
    assert_eq!(sale.document.status(), DocumentStatus::Issued, "{:?}", sale.document.stage());
    sale.document.stage().numbered().unwrap().number.to_string()
}

async fn doctor(world: &World) -> Finding {
    let Stores { registry, merchants, ledger, .. } = &world.stores;
    of_sequences(&survey(&**registry, &**merchants, &**ledger).await.unwrap(), world.clock.now())
}

async fn skip(world: &World, to: u64) -> Result<Skipped, SetupError> {
    let environment = Environment::PreCertification;
    let request = SkipRequest { kind: DocumentKind::Consumer, environment, to, reissues: true };
    skip_numbers(&world.ports(None), &*world.stores.ledger, &world.tenant, request).await
}

#[tokio::test]
async fn numbers_assigned_before_a_restore_are_skipped() {
    for (mut world, original) in worlds().await {
        sell(&world).await;
        let (restored, guard) = original.copy().await;
        for _ in 0..3 {
            sell(&world).await;
        }
        let lost = world.restore(restored, guard);

        // 2 to 4 are assigned again.
        let refused = [sell(&world).await, sell(&world).await];
        let warned = doctor(&world).await;
        let skipped = skip(&world, 4).await.unwrap();
        World::pass(&world.clock, &world.ports(None), TimeDelta::hours(1)).await;
        let later = sell(&world).await;
        let (again, back, beyond) = (skip(&world, 4).await.unwrap(), skip(&world, 2).await, skip(&world, 5000).await);

        assert_eq!(warned.severity, Severity::Warn, "{warned:?}");
        assert!(warned.detail.contains("2 consumer documents have a number that another holds"), "{warned:?}");
        assert!(warned.detail.contains("up to E320000000003"), "{warned:?}");
        assert_eq!((skipped.count, skipped.range.next, skipped.documents.len()), (1, 5, 2));
        let mut renumbered = [number(&world, &refused[0]).await, number(&world, &refused[1]).await];
        renumbered.sort();
        assert_eq!(renumbered, ["E320000000005", "E320000000006"]);
        assert_eq!(number(&world, &later).await, "E320000000007");
        assert_eq!(doctor(&world).await.severity, Severity::Ok);
        assert_eq!((again.count, again.range.next, again.documents), (0, 8, Vec::new()));
        assert!(matches!(back, Err(SetupError::Invalid(why)) if why.contains("never goes back")), "{back:?}");
        assert!(matches!(beyond, Err(SetupError::Invalid(why)) if why.contains("no range")), "{beyond:?}");
        drop(lost);
    }
}

#[tokio::test]
async fn a_skip_leaves_no_earlier_range_to_assign_numbers() {
    for (world, _) in worlds().await {
        let grant = Grant {
            kind: DocumentKind::Consumer,
            first: 100_001,
            last: 100_500,
            valid_until: None,
            environment: Environment::PreCertification,
        };
        add_sequence(&world.ports(None), &world.tenant, grant).await.unwrap();

        let skipped = skip(&world, 100_200).await.unwrap();
        let again = skip(&world, 100_200).await.unwrap();
        let payment = sell(&world).await;

        assert!(skipped.count > 200, "the earlier range is skipped, too: {}", skipped.count);
        assert_eq!(again.count, 0);
        assert_eq!(number(&world, &payment).await, "E320000100201");
    }
}

#[tokio::test]
async fn a_document_with_a_contested_number_is_refused_as_that() {
    let (mut world, original) = worlds().await.remove(0);
    let (restored, guard) = original.copy().await;
    sell(&world).await;
    let lost = world.restore(restored, guard);

    let payment = sell(&world).await;

    let document = world.sale(&payment).await.document;
    let DocumentStage::Rejected(rejection) = document.stage() else { panic!("{:?}", document.stage()) };
    assert_eq!((rejection.problem.code, rejection.is_number_spent), (ProblemCode::DuplicateNumber, true));
    drop(lost);
}
