//! What nobody may find afterwards.

use std::fs;

use crate::support::{APPROVED_CARD, DECLINED_CARD, LOST_CARD, Log, Request, SALE, card, on_each_store, with};

#[actix_web::test]
async fn a_card_leaves_no_trace() {
    on_each_store(async |world| {
        let log = Log::begin();
        let mut answers = Vec::new();
        for number in [APPROVED_CARD, DECLINED_CARD, LOST_CARD] {
            let created = world.sale(SALE).await;
            let submission = world.submission(&created, number).await;
            let unknown = with(&card(number), "card.colour", r#""blue""#);
            let broken = card(number).replace("\"number\"", "number");
            let key = format!("key-{number}");
            answers.push(world.send(&submission.clone().sending(unknown)).await);
            answers.push(world.send(&submission.clone().sending(broken)).await);
            answers.push(world.send(&submission).await);
            answers.push(world.send(&submission.keyed(key)).await);
            let path = format!("/v1/payments/{number}?card={number}");
            answers.push(world.send(&Request::get(path, &world.one.key)).await);
            answers.push(world.send(&Request::post(format!("/v1/{number}"), number, card(number))).await);
            answers.push(world.send(&Request::bare(number, "/v1/payments")).await);
        }
        world.watch.breaks();
        answers.push(world.send(&Request::post("/v1/payments", &world.one.key, SALE)).await);
        world.watch.mends();

        let log = log.text();
        assert!(log.contains("answered") && log.contains("an exchange failed"), "{log}");
        for number in [APPROVED_CARD, DECLINED_CARD, LOST_CARD] {
            assert!(!log.contains(number), "{log}");
            assert!(answers.iter().all(|it| !it.text().contains(number)));
            for file in world.home.files() {
                assert!(!holds(&fs::read(&file).unwrap(), number.as_bytes()), "{}", file.display());
            }
        }
    })
    .await;
}

#[actix_web::test]
async fn a_credential_leaves_no_trace() {
    on_each_store(async |world| {
        let log = Log::begin();
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let key = world.one.key.clone();
        let path = format!("/v1/payments/{}", created.field("/id"));
        world.send(&Request::get(&path, &token)).await;
        world.send(&Request::bare("GET", format!("{path}?api_key={key}"))).await;
        world.send(&Request::get(&path, &format!("{key}x"))).await;
        let link = created.field("/nextAction/url").rsplit('/').next().unwrap().to_owned();
        world.send(&Request::bare("GET", format!("/p/{link}"))).await;

        let log = log.text();
        for secret in [&key, &token, &link, &created.field("/checkoutReference")] {
            assert!(!log.contains(secret.as_str()), "{log}");
        }
        for secret in [&key, &token] {
            for file in world.home.files() {
                assert!(!holds(&fs::read(&file).unwrap(), secret.as_bytes()), "{}", file.display());
            }
        }
    })
    .await;
}

#[actix_web::test]
async fn an_outage_is_logged_once_with_its_causes_and_told_without_them() {
    on_each_store(async |world| {
        let log = Log::begin();
        world.watch.breaks();

        let path = format!("/v1/payments/{}", testkit::sample::payment_id(1));
        let answer = world.send(&Request::get(path, &world.one.key)).await;

        assert_eq!(answer.error(), (500, "internal_error".to_owned(), None));
        assert!(!answer.text().contains("database") && !answer.text().contains("10.0.0.7"));
        let log = log.text();
        assert_eq!(log.matches("an exchange failed").count(), 1, "{log}");
        assert!(log.contains("the database is unavailable") && log.contains("host=10.0.0.7"), "{log}");
        assert!(log.contains(answer.header("request-id")), "{log}");
    })
    .await;
}

#[actix_web::test]
async fn what_clients_do_wrong_is_no_error_of_ours() {
    on_each_store(async |world| {
        let log = Log::begin();

        world.send(&Request::get("/v1/payments/x", &world.one.key)).await;
        world.send(&Request::post("/v1/payments", &world.one.key, "{")).await;

        let log = log.text();
        assert!(!log.contains("ERROR") && !log.contains("WARN"), "{log}");
        assert_eq!(log.matches("answered").count(), 2, "{log}");
    })
    .await;
}

fn holds(bytes: &[u8], secret: &[u8]) -> bool {
    bytes.windows(secret.len()).any(|it| it == secret)
}
