//! Bad requests of `fixtures/badinputs`, on each store.

mod ground;
mod watchman;

use testkit::bad_inputs::{CaseFile, CaseSelection, check_case_list, files, run};

use self::ground::Field;
use crate::support::Backend;

/// Groups of requests. Each is a test, so that they run in parallel.
macro_rules! groups {
    ($($test:ident = $name:literal,)*) => {
        const GROUPS: &[&str] = &[$($name),*];

        $(
            #[actix_web::test]
            async fn $test() {
                check($name).await;
            }
        )*
    };
}

groups! {
    transport = "a-transport",
    authentication = "b-authentication",
    idempotency_key = "c-idempotency-key",
    json = "d-json",
    amounts = "e-amounts",
    fields = "f-fields",
    path_and_query = "g-path-and-query",
    state = "h-state",
    webhooks = "i-webhooks",
    checkout_and_cards = "j-checkout-and-cards",
}

#[test]
fn every_group_is_a_test() {
    assert_eq!(files(), GROUPS);
}

#[test]
fn every_hazard_names_a_test_or_is_pending() {
    check_case_list();
}

async fn check(group: &str) {
    let file = CaseFile::read(group);
    for backend in Backend::all() {
        let responses = watchman::answers();

        let count = run(&file, CaseSelection::All, async || Field::begin(backend.world().await).await).await;

        assert!(watchman::answers() > responses, "the log was read");
        println!("{group}: {count} requests on {backend:?}");
    }
}
