//! Reference pages.

use std::{collections::BTreeSet, fs, path::Path};

use crate::support::{Request, on_one_store};

#[actix_web::test]
async fn the_reference_is_a_page_without_script_that_a_browser_caches() {
    on_one_store(async |world| {
        for (path, media) in [
            ("/docs", "text/html; charset=utf-8"),
            ("/docs/errors", "text/html; charset=utf-8"),
            ("/docs/reference.css", "text/css; charset=utf-8"),
        ] {
            let first = world.send(&Request::bare("GET", path)).await;
            let tag = first.header("etag").to_owned();
            let again = world.send(&Request::bare("GET", path).and("if-none-match", tag.as_str())).await;
            let other = world.send(&Request::bare("GET", path).and("if-none-match", "\"0\"")).await;

            assert_eq!((first.status, first.header("content-type")), (200, media), "{path}");
            assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, tag.as_str()), "{path}");
            assert_eq!((other.status, &other.body), (200, &first.body), "{path}");
            let policy = first.header("content-security-policy");
            assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{path}: {policy}");
            assert_eq!(first.header("cache-control"), "no-cache", "{path}");
        }
    })
    .await;
}

#[actix_web::test]
async fn the_address_in_an_error_leads_to_its_code() {
    on_one_store(async |world| {
        let refused = world.send(&Request::bare("GET", "/v1/payments")).await;
        let page = world.send(&Request::bare("GET", "/docs/errors")).await;
        let page = String::from_utf8(page.body.to_vec()).unwrap();

        assert!(
            refused.field("/error/docUrl").ends_with("/errors#api_key_missing"),
            "{}",
            refused.field("/error/docUrl")
        );
        for code in published() {
            assert!(page.contains(&format!("<dt id=\"{code}\">")), "{code} has no anchor");
        }
    })
    .await;
}

fn published() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/error-codes.tsv");
    let table = fs::read_to_string(path).unwrap();
    table.lines().skip(1).filter_map(|row| Some(row.split('\t').nth(3)?.to_owned())).collect()
}
