//! A failed rendering is repeated later.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use app::{Error, Ports, get_printed_representation, submit_card};
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    Conflict, FiscalDocument,
    fiscal::{DocumentStatus, Numbered, Signed},
};
use ports::{DocumentPrinter, Unprintable};

use crate::{
    crashes::{command, world::World},
    races::worlds,
    support::render,
};

/// A printer that fails until it is repaired.
#[derive(Default)]
struct FailingPrinter {
    is_repaired: AtomicBool,
    attempts: AtomicUsize,
}

#[async_trait]
impl DocumentPrinter for FailingPrinter {
    async fn print(&self, _: &FiscalDocument, _: &Numbered, _: &Signed) -> Result<Vec<u8>, Unprintable> {
        self.attempts.fetch_add(1, Ordering::SeqCst);
        match self.is_repaired.load(Ordering::SeqCst) {
            true => Ok(b"%PDF".to_vec()),
            false => Err(Unprintable { reason: "the printer fails".to_owned() }),
        }
    }

    async fn print_contingency_copy(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        signed: &Signed,
    ) -> Result<Vec<u8>, Unprintable> {
        self.print(document, numbered, signed).await
    }
}

#[tokio::test]
async fn a_failed_rendering_is_repeated_until_it_succeeds() {
    for world in worlds().await {
        let printer = Arc::new(FailingPrinter::default());
        let ports = Ports { printer: printer.clone(), ..world.ports(None) };
        let (payment, payer) = world.open_sale().await;
        submit_card(&ports, &payer, &world.keyed_as("card".to_owned()), command(&payment, "4222220000000008"), &render)
            .await
            .unwrap();
        World::pass(&world.clock, &ports, TimeDelta::minutes(20)).await;
        let id = world.sale(&payment).await.document.facts.id;
        let fetch = async || get_printed_representation(&ports, &world.merchant(), id.as_str()).await;

        let before = fetch().await;
        let attempts = printer.attempts.load(Ordering::SeqCst);
        printer.is_repaired.store(true, Ordering::SeqCst);
        World::pass(&world.clock, &ports, TimeDelta::minutes(30)).await;
        let after = fetch().await;
        World::pass(&world.clock, &ports, TimeDelta::hours(48)).await;

        assert_eq!(world.sale(&payment).await.document.status(), DocumentStatus::Issued);
        assert!(matches!(before, Err(Error::Refusal(it)) if it.code == Conflict::FiscalArtifactNotReady.into()));
        assert_eq!(after.unwrap(), b"%PDF");
        assert_eq!((attempts, printer.attempts.load(Ordering::SeqCst)), (3, 4), "one more attempt, which succeeded");
    }
}
