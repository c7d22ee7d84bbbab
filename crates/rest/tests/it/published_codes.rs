//! Every published code is returned by some request.

mod money;
mod refunds;
mod setup;
mod splits;
mod states;
mod who;

use std::{collections::BTreeSet, fs};

use crate::support::{Request, TestResponse, World, on_each_store};

/// Returned codes, with type and status.
#[derive(Default)]
struct Seen(BTreeSet<(String, String, String)>);

impl Seen {
    async fn send(&mut self, world: &World, request: Request) {
        let response = world.send(&request).await;
        self.note(&response);
    }

    #[track_caller]
    fn note(&mut self, response: &TestResponse) {
        let (status, code, _) = response.error();
        self.0.insert((response.field("/error/type"), status.to_string(), code));
    }
}

/// Returns the published rows: type, status, code.
fn published() -> BTreeSet<(String, String, String)> {
    let table = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/error-codes.tsv")).unwrap();
    let rows = table.lines().skip(1).map(|line| {
        let mut fields = line.split('\t').skip(1).map(str::to_owned);
        (fields.next().unwrap(), fields.next().unwrap(), fields.next().unwrap())
    });
    rows.collect()
}

#[actix_web::test]
async fn every_published_code_is_returned() {
    on_each_store(async |mut world| {
        let mut seen = Seen::default();
        who::ask(&mut world, &mut seen).await;
        splits::ask(&world, &mut seen).await;
        refunds::ask(&world, &mut seen).await;
        money::ask(&world, &mut seen).await;
        states::ask(&mut world, &mut seen).await;
        setup::ask(&mut world, &mut seen).await;

        let published = published();
        let missing: Vec<_> = published.difference(&seen.0).collect();
        let unpublished: Vec<_> = seen.0.difference(&published).collect();
        assert!(missing.is_empty(), "no request causes {missing:?}");
        assert!(unpublished.is_empty(), "unpublished codes: {unpublished:?}");
    })
    .await;
}
