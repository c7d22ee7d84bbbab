//! Addresses of clients behind proxies.

use rest::TrustedProxies;

use super::{assert_too_many, sandbox_with};
use crate::support::{Request, Served, World, on_one_store};

/// A request with an invalid key and a forwarding `header` for `address`.
fn guess(header: &'static str, address: &str) -> Request {
    Request::get("/v1/payments", "gk_test_guessed").and(header, address)
}

#[actix_web::test]
async fn a_forwarding_header_of_an_untrusted_peer_is_ignored() {
    on_one_store(async |mut world: World| {
        world.limits = sandbox_with(1000);
        let served = Served::start(&world);

        for n in 0..10 {
            let header = ["x-forwarded-for", "forwarded", "x-real-ip"][n % 3];
            let value = if header == "forwarded" { format!("for=198.51.100.{n}") } else { format!("198.51.100.{n}") };
            assert_eq!(served.send(&guess(header, &value)).await.status, 401, "BAD-039");
        }

        let known = Request::get("/v1/payments", &world.one.key);
        assert_too_many(&served.send(&known).await);
        assert_too_many(&served.send(&known.and("x-forwarded-for", "198.51.100.200")).await);
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn clients_behind_a_trusted_proxy_are_counted_separately() {
    on_one_store(async |mut world: World| {
        world.limits = sandbox_with(1000);
        world.proxies = TrustedProxies::of(vec!["127.0.0.0/8".parse().unwrap()]);
        let served = Served::start(&world);

        for n in 0..10 {
            // The entry of the client precedes the entry of the proxy.
            let response = served.send(&guess("x-forwarded-for", &format!("198.51.100.{n}, 203.0.113.9"))).await;
            assert_eq!(response.status, 401);
        }

        let known = |address: &str| Request::get("/v1/payments", &world.one.key).and("x-forwarded-for", address);
        assert_too_many(&served.send(&known("203.0.113.9")).await);
        assert_too_many(&served.send(&known("198.51.100.1, 203.0.113.9, 127.0.0.7")).await);
        assert_eq!(served.send(&known("203.0.113.10")).await.status, 200);
        assert_eq!(served.send(&known("203.0.113.9, 203.0.113.10")).await.status, 200);
        assert_eq!(served.send(&Request::get("/v1/payments", &world.one.key)).await.status, 200, "the proxy itself");
        served.stop().await;
    })
    .await;
}
