//! Secrets in the log and the database.

use std::fs;

use chrono::TimeDelta;

use crate::support::{
    APPROVED_CARD, DECLINED_CARD, LOST_CARD, Log, Request, SALE, World, card, challenge_path, form, on_each_store, with,
};

/// Security code, in quotes as in a printed text: four digits alone occur everywhere.
const SECURITY_CODE: &str = "\"9747\"";
const HOLDER: &str = "TITULAR CANARIA";

#[actix_web::test]
async fn a_card_is_neither_logged_nor_stored() {
    on_each_store(async |world| {
        let log = Log::begin();
        rest::log_panics_without_their_message();
        let mut responses = Vec::new();
        for number in [APPROVED_CARD, DECLINED_CARD, LOST_CARD] {
            let card =
                with(&with(&card(number), "card.securityCode", SECURITY_CODE), "card.holderName", &quoted(HOLDER));
            let created = world.sale(SALE).await;
            let submission = world.submission(&created, number).await.sending(card.clone());
            let key = format!("key-{number}");
            for wrong in wrong_cards(&card, number) {
                responses.push(world.send(&submission.clone().sending(wrong)).await);
            }
            world.sale_store.panic();
            responses.push(world.send(&submission.clone().keyed(format!("panic-{number}"))).await);
            world.sale_store.fail();
            responses.push(world.send(&submission.clone().keyed(format!("outage-{number}"))).await);
            world.sale_store.recover();
            responses.push(world.send(&submission).await);
            responses.push(world.send(&submission.keyed(key)).await);
            let path = format!("/v1/payments/{number}?card={number}");
            responses.push(world.send(&Request::get(path, &world.one.key)).await);
            responses.push(world.send(&Request::post(format!("/v1/{number}"), number, card)).await);
            responses.push(world.send(&Request::bare(number, "/v1/payments")).await);
        }
        let _ = std::panic::take_hook();

        let lines = log.text();
        assert!(
            lines.contains("request completed") && lines.contains("request failed") && lines.contains("panicked"),
            "{lines}"
        );
        for secret in [APPROVED_CARD, DECLINED_CARD, LOST_CARD, SECURITY_CODE, HOLDER] {
            assert!(responses.iter().all(|it| !it.text().contains(secret)), "{secret}");
            assert_secret_is_hidden(&world, &log, secret).await;
        }
    })
    .await;
}

#[actix_web::test]
async fn a_card_for_a_share_is_neither_logged_nor_stored() {
    on_each_store(async |world| {
        let log = Log::begin();
        let bill = world.bill(3).await;
        let cards = [APPROVED_CARD, DECLINED_CARD, LOST_CARD];
        for (ordinal, number) in (1..).zip(cards) {
            let card = with(&card(number), "partOrdinal", &format!("{ordinal}"));
            let card = with(&with(&card, "card.securityCode", SECURITY_CODE), "card.holderName", &quoted(HOLDER));
            world.done(&bill.card(ordinal, number).sending(card)).await;
        }
        world.clock.advance(TimeDelta::hours(2));
        world.settle(&bill).await;

        assert!(log.text().contains("request completed"));
        for secret in cards.into_iter().chain([SECURITY_CODE, HOLDER, &bill.token]) {
            assert_secret_is_hidden(&world, &log, secret).await;
        }
    })
    .await;
}

/// With 3-D Secure the card is sent once; later requests name the transaction.
#[actix_web::test]
async fn a_challenged_card_is_neither_logged_nor_stored() {
    const ANSWERED: &str = "4222220021000003";
    const BOTH: &str = "4222220022000002";
    const FAILS: &str = "4222220023000993";
    on_each_store(async |world| {
        let log = Log::begin();
        let mut responses = Vec::new();
        for number in [ANSWERED, BOTH, FAILS] {
            let card =
                with(&with(&card(number), "card.securityCode", SECURITY_CODE), "card.holderName", &quoted(HOLDER));
            let created = world.sale(&with(SALE, "saleReference", &quoted(&number[8..]))).await;
            responses.push(world.send(&world.submission(&created, number).await.sending(card)).await);
            let path = format!("/v1/payments/{}", created.field("/id"));
            let challenge = challenge_path(&world.send(&Request::get(&path, &world.one.key)).await);
            responses.push(world.page(&challenge).await);
            if number != ANSWERED {
                responses.push(world.send(&form(&format!("{challenge}/look"), &[("threeDSMethodData", "e30=")])).await);
                responses.push(world.send(&form(&format!("{challenge}/go-on"), &[])).await);
            }
            if number != FAILS {
                responses.push(world.page(&challenge).await);
                let back = world.issuers_result(&challenge, number == BOTH).await;
                responses.push(world.send(&back).await);
                responses.push(world.send(&back).await);
            }
            responses.push(world.send(&Request::get(&path, &world.one.key)).await);
        }

        assert_eq!(world.at_the_acquirer(), ["declined", "approved", "declined"]);
        for secret in [ANSWERED, BOTH, FAILS, SECURITY_CODE, HOLDER] {
            assert!(responses.iter().all(|it| !it.text().contains(secret)), "{secret}");
            assert_secret_is_hidden(&world, &log, secret).await;
        }
    })
    .await;
}

#[actix_web::test]
async fn a_credential_is_neither_logged_nor_stored() {
    on_each_store(async |world| {
        let log = Log::begin();
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let (key, wrong) = (world.one.key.clone(), world.forgotten().await);
        let path = format!("/v1/payments/{}", created.field("/id"));
        world.send(&Request::get(&path, &token)).await;
        world.send(&Request::bare("GET", format!("{path}?api_key={key}"))).await;
        world.send(&Request::get(&path, &format!("{key}x"))).await;
        world.send(&Request::get(&path, &wrong)).await;
        world.send(&Request::get(&path, "ct_test_canary-canary")).await;
        let basic = Request::bare("GET", &path).with("authorization", "Basic canary-canary");
        world.send(&basic).await;
        let link = created.field("/nextAction/url").rsplit('/').next().unwrap().to_owned();
        world.send(&Request::bare("GET", format!("/p/{link}"))).await;
        let account = format!("/v1/merchant_accounts/{}/credentials", world.one.account);
        let password = r#"{"provider":"simulator","credentials":{"password":"canary-canary"}}"#;
        let updated = world.send(&Request::put(account, &world.admin().await, password)).await;

        assert_eq!(updated.status, 200, "{}", updated.text());
        for secret in [&link, &created.field("/checkoutReference")] {
            assert!(!log.text().contains(secret.as_str()), "{}", log.text());
        }
        for secret in [&key, &wrong, &token, "canary-canary"] {
            assert_secret_is_hidden(&world, &log, secret).await;
        }
    })
    .await;
}

/// Card submissions that are refused for many reasons.
fn wrong_cards(card: &str, number: &str) -> Vec<String> {
    vec![
        with(card, "card.colour", r#""blue""#),
        card.replace("\"number\"", "number"),
        card.replace(number, &number[..15]),
        card.replace(number, &format!("{}-{}", &number[..8], number)),
        with(card, "card.number", number),
        with(card, "card.securityCode", r#""97471""#),
        with(card, "card.expirationMonth", "13"),
        with(card, "card.expirationYear", "2001"),
        format!("{card}{card}"),
    ]
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// Checks that neither the log nor any row contains the secret, as text or as bytes.
async fn assert_secret_is_hidden(world: &World, log: &Log, secret: &str) {
    let log = log.text();
    assert!(!log.contains(secret) && !log.contains(&secret.replace('"', "\\\"")), "{secret} is in {log}");
    let bytes: String = secret.bytes().map(|it| format!("{it:02x}")).collect();
    for row in world.home.table_reader().await.rows().await {
        assert!(!row.contains(secret) && !row.to_lowercase().contains(&bytes), "{secret} is in {row}");
    }
    for file in world.home.files() {
        assert!(!holds(&fs::read(&file).unwrap(), secret.as_bytes()), "{}", file.display());
    }
}

#[actix_web::test]
async fn an_outage_is_logged_once_with_its_causes_which_the_response_omits() {
    on_each_store(async |world| {
        let log = Log::begin();
        world.sale_store.fail();

        let path = format!("/v1/payments/{}", testkit::sample::payment_id(1));
        let response = world.send(&Request::get(path, &world.one.key)).await;

        assert_eq!(response.error(), (500, "internal_error".to_owned(), None));
        assert!(!response.text().contains("database") && !response.text().contains("10.0.0.7"));
        let log = log.text();
        assert_eq!(log.matches("request failed").count(), 1, "{log}");
        assert!(log.contains("the database is unavailable") && log.contains("host=10.0.0.7"), "{log}");
        assert!(log.contains(response.header("request-id")), "{log}");
    })
    .await;
}

#[actix_web::test]
async fn client_errors_are_not_logged_as_errors() {
    on_each_store(async |world| {
        let log = Log::begin();

        world.send(&Request::get("/v1/payments/x", &world.one.key)).await;
        world.send(&Request::post("/v1/payments", &world.one.key, "{")).await;

        let log = log.text();
        assert!(!log.contains("ERROR") && !log.contains("WARN"), "{log}");
        assert_eq!(log.matches("request completed").count(), 2, "{log}");
    })
    .await;
}

fn holds(bytes: &[u8], secret: &[u8]) -> bool {
    bytes.windows(secret.len()).any(|it| it == secret)
}
