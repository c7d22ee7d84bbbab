//! Host names of the server.

use crate::support::{Request, on_one_store};

#[actix_web::test]
async fn only_configured_host_names_are_accepted() {
    on_one_store(async |mut world| {
        world.allowed_hosts = vec!["api.cobro.example".to_owned(), "internal:8080".to_owned()];
        let called = |name: &str| Request::bare("GET", "/healthz").with("host", name);

        for name in ["api.cobro.example", "API.Cobro.Example", "api.cobro.example:443", "internal:8080"] {
            assert_eq!(world.send(&called(name)).await.status, 200, "{name}");
        }
        let expected = (400, "parameter_invalid".to_owned(), Some("host".to_owned()));
        for name in ["evil.example", "api.cobro.example.evil.example", "internal", "internal:8081", "", "é"] {
            assert_eq!(world.send(&called(name)).await.error(), expected, "{name}");
        }
        // Probes and collectors use the address; clients and browsers do not.
        for name in ["127.0.0.1:8080", "10.1.2.3", "[::1]:8080", "[fd00::1]"] {
            assert_eq!(world.send(&called(name)).await.status, 200, "{name}");
            let page = Request::bare("GET", "/docs").with("host", name);
            assert_eq!(world.send(&page).await.error(), expected, "{name}");
        }
        let absolute = Request::bare("GET", "http://evil.example/healthz");
        assert_eq!(world.send(&absolute).await.error(), expected);
    })
    .await;
}

#[actix_web::test]
async fn without_configured_host_names_any_name_is_accepted() {
    on_one_store(async |world| {
        let called = Request::bare("GET", "/healthz");

        assert_eq!(world.send(&called.clone().with("host", "anything.example")).await.status, 200);
        for request in [called.clone().without("host"), called.and("host", "another.example")] {
            let expected = (400, "parameter_invalid".to_owned(), Some("host".to_owned()));
            assert_eq!(world.send(&request).await.error(), expected, "{request:?}");
        }
    })
    .await;
}
