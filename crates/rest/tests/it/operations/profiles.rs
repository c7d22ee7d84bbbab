use app::Ports;
use chrono::TimeDelta;
use ports::MockMerchantStore;
use std::sync::Arc;

use super::{DENIED, EXPIRED, NOT_ADMIN, check_replay, invalid, missing};
use crate::support::{Request, SALE, World, check, on_each_store};

const PATH: &str = "/v1/merchant_profile";

const PROFILE: &str = r#"{
    "legalName": "Comedor Nuevo, S.R.L.",
    "rnc": "101000007",
    "displayName": "El Nuevo",
    "supportPhone": "809-555-0101",
    "permanentAddress": {"line1": "Calle 2", "city": "Santiago", "countryCode": "DO"},
    "statementDescriptor": "EL NUEVO",
    "paymentWindowSeconds": 900
}"#;

#[actix_web::test]
async fn a_profile_is_replaced_completely() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let before = world.send(&Request::get(PATH, &world.one.key)).await;
        let request = Request::put(PATH, &admin, PROFILE);
        world.clock.advance(TimeDelta::hours(1));

        let put = check_replay(&world, &request, "{}").await;
        let after = world.send(&Request::get(PATH, &world.one.key)).await;

        assert_eq!(
            (before.field("/displayName"), before.json()["version"].clone()),
            ("La Esquina".to_owned(), 1.into())
        );
        assert_eq!((put.text(), put.header("etag")), (after.text(), after.header("etag")));
        assert_eq!(
            (after.field("/object"), after.field("/displayName")),
            ("merchant_profile".into(), "El Nuevo".into())
        );
        assert_eq!(
            (before.field("/updatedAt"), after.field("/updatedAt")),
            ("2026-03-01T12:00:00.000Z".to_owned(), "2026-03-01T13:00:00.000Z".to_owned())
        );
        assert_eq!((&after.json()["version"], &after.json()["paymentWindowSeconds"]), (&2.into(), &900.into()));
        assert_eq!(after.json()["missingFields"], serde_json::json!([]));
        assert_eq!(after.json().get("supportEmail"), None, "what is left out is taken back");
        world.clock.advance(TimeDelta::hours(72) + TimeDelta::seconds(1));
        check(&world, vec![(request, EXPIRED)]).await;
    })
    .await;
}

#[actix_web::test]
async fn an_incomplete_profile_cannot_sell() {
    on_each_store(async |world| {
        let empty = world.send(&Request::put(PATH, &world.admin().await, "{}")).await;

        assert_eq!(empty.status, 200);
        let lacks = empty.json()["missingFields"].clone();
        assert_eq!(
            lacks,
            serde_json::json!([
                "legalName",
                "rnc",
                "displayName",
                "supportPhone",
                "permanentAddress",
                "statementDescriptor"
            ])
        );
        let sale = world.send(&Request::post("/v1/payments", &world.one.key, SALE)).await;
        assert_eq!((sale.status, sale.error().1), (422, "merchant_profile_incomplete".to_owned()));

        // All fields but the address, which documents print.
        let rest = r#"{"legalName":"Comedor, S.R.L.","rnc":"101850043","displayName":"Comedor","supportPhone":"809",
            "statementDescriptor":"COMEDOR"}"#;
        let profile = world.send(&Request::put(PATH, &world.admin().await, rest)).await;
        assert_eq!(profile.json()["missingFields"], serde_json::json!(["permanentAddress"]));
        let sale = world.send(&Request::post("/v1/payments", &world.one.key, SALE)).await;
        assert_eq!((sale.status, sale.error().1), (422, "merchant_profile_incomplete".to_owned()));
        assert!(sale.text().contains("permanentAddress"), "{}", sale.text());
    })
    .await;
}

#[actix_web::test]
async fn invalid_profiles_are_refused() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let token = world.token(&world.sale(SALE).await, "pay").await;
        let put = |body: &str| Request::put(PATH, &admin, body);

        let rows = vec![
            (Request::get(PATH, &token), DENIED),
            (Request::get(format!("{PATH}?x=1"), &admin), invalid("x")),
            (Request::put(PATH, &token, PROFILE), DENIED),
            (Request::put(PATH, &world.one.key, PROFILE), NOT_ADMIN),
            (put(PROFILE).without("idempotency-key"), missing("idempotency-key")),
            (put(r#"{"permanentAddress":{"line1":"x","city":"y"}}"#), missing("permanentAddress.countryCode")),
            (put(r#"{"statementDescriptor":"LA PEÑA"}"#), invalid("statementDescriptor")),
            (put(r#"{"paymentWindowSeconds":899}"#), invalid("paymentWindowSeconds")),
            (put(r#"{"rnc":"101000008"}"#), invalid("rnc")),
            (put(r#"{"version":7}"#), invalid("version")),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn a_merchant_without_a_profile_gets_not_found() {
    on_each_store(async |mut world: World| {
        let mut setups = MockMerchantStore::new();
        setups.expect_setup().returning(|_| Ok(ports::Setup { profile: None, ..ports::Setup::default() }));
        world.ports = Ports { merchants: Arc::new(setups), ..world.ports };

        let response = world.send(&Request::get(PATH, &world.one.key)).await;

        assert_eq!(response.error(), (404, "merchant_profile_not_found".to_owned(), None));
    })
    .await;
}
