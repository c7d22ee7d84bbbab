//! Bad requests of `fixtures/badinputs`, on each store.

mod leak_log;
mod test_server;

use testkit::bad_inputs::{CaseFile, CaseSelection, check_case_list, files, run};

use self::test_server::TestServer;
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
        let completed = leak_log::completed_requests();

        let count = run(&file, CaseSelection::All, async || TestServer::start(backend.world().await).await).await;

        assert!(leak_log::completed_requests() > completed, "the log was read");
        println!("{group}: {count} requests on {backend:?}");
    }
}
