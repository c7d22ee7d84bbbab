//! Order of the acquirer's validation.

use serde_json::{Value, json};

use crate::web::{Shop, purchase};

const GOOD: &str = "4222220000000008";
const PATH: &str = "/WebServices/JSON/Default.aspx";

/// A sale with replaced fields; `null` removes a field.
fn but(changes: Value) -> Value {
    let mut body = purchase("Sale", GOOD, "pa_1");
    let fields = body.as_object_mut().unwrap();
    fields.extend(changes.as_object().unwrap().clone());
    fields.retain(|_, value| !value.is_null());
    body
}

#[tokio::test]
async fn the_first_invalid_field_is_reported() {
    let shop = Shop::open().await;
    let cases = [
        (json!({ "Channel": "XX", "Store": "1" }), "INVALID_CHANNEL"),
        (json!({ "Store": "1", "TrxType": "Sell" }), "INVALID_MERCHANTID"),
        (json!({ "TrxType": "sale" }), "VALIDATION_ERROR:TrxType"),
        (json!({ "TrxType": "Void" }), "VALIDATION_ERROR:TrxType"),
        (json!({ "CardNumber": "4222", "Amount": "0" }), "VALIDATION_ERROR:CardNumber"),
        (json!({ "CardNumber": null }), "VALIDATION_ERROR:CardNumber"),
        (json!({ "Expiration": "1234", "CVC": "" }), "VALIDATION_ERROR:Expiration"),
        (json!({ "Expiration": "203413" }), "VALIDATION_ERROR:Expiration"),
        (json!({ "Expiration": "202602" }), "VALIDATION_ERROR:ExpirationPassed"),
        (json!({ "CVC": null, "Amount": "0" }), "VALIDATION_ERROR:CVC"),
        (json!({ "Amount": "0" }), "VALIDATION_ERROR:Amount"),
        (json!({ "Amount": "118.00" }), "VALIDATION_ERROR:Amount"),
        (json!({ "Itbis": "0" }), "VALIDATION_ERROR:Itbis"),
        (json!({ "Itbis": null }), "VALIDATION_ERROR:Itbis"),
        (json!({ "OrderNumber": null }), "VALIDATION_ERROR:OrderNumber"),
        (json!({ "OrderNumber": "1234567890123456" }), "VALIDATION_ERROR:OrderNumber"),
        (json!({ "CurrencyPosCode": "US$" }), "VALIDATION_ERROR:CurrencyPosCode"),
        (json!({ "DataVaultToken": "00000000" }), "DataVault TokenId does not exist."),
    ];

    for (changes, fault) in cases {
        let answer = shop.ask("", but(changes.clone())).await;

        assert_eq!(
            (&answer["ResponseCode"], &answer["ErrorDescription"]),
            (&json!("Error"), &json!(fault)),
            "{changes}"
        );
        assert_eq!((&answer["AzulOrderId"], &answer["IsoCode"]), (&json!(""), &json!("")), "{changes}");
    }
    assert!(shop.acquirer.transactions().is_empty());
}

#[tokio::test]
async fn lenient_inputs_are_accepted_like_the_real_acquirer() {
    let shop = Shop::open().await;

    for changes in
        [json!({ "Itbis": "000" }), json!({ "Itbis": "10" }), json!({ "Amount": 11800 }), json!({ "OrderNumber": "" })]
    {
        assert_eq!(shop.ask("", but(changes.clone())).await["IsoCode"], "00", "{changes}");
    }
}

#[tokio::test]
async fn credentials_are_checked_before_fields() {
    let shop = Shop::open().await;
    let ask = async |headers: &[(&'static str, &'static str)], kind: &str| {
        let mut request = shop
            .client
            .post(shop.address(PATH))
            .json(&json!({ "Channel": "EC", "Store": "39000000001", "TrxType": kind }));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        answer["ErrorDescription"].as_str().unwrap().to_owned()
    };

    assert_eq!(ask(&[], "Sale").await, "MISSING_AUTH_HEADER:Auth1");
    assert_eq!(ask(&[("Auth1", "one")], "Sale").await, "MISSING_AUTH_HEADER:Auth2");
    assert_eq!(ask(&[("Auth1", "one"), ("Auth2", "three")], "Sale").await, "INVALID_AUTH:Auth");
    assert_eq!(ask(&[("Auth1", "certified"), ("Auth2", "two")], "Sale").await, "MISSING_CLIENT_CERT");
    assert_eq!(ask(&[("Auth1", "disabled"), ("Auth2", "two")], "Sale").await, "DISABLED_PROFILE");
    assert_eq!(ask(&[("Auth1", "sales"), ("Auth2", "two")], "Hold").await, "VALIDATION_ERROR:TrxType");
    assert_eq!(ask(&[("auth1", "sales"), ("AUTH2", "two")], "Sale").await, "VALIDATION_ERROR:CardNumber");
}

#[tokio::test]
async fn malformed_requests_are_refused_first() {
    let shop = Shop::open().await;
    let described = async |request: reqwest::RequestBuilder| {
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        answer["ErrorDescription"].as_str().unwrap().to_owned()
    };

    assert_eq!(described(shop.client.get(shop.address(PATH))).await, "INVALID_HTTP_METHOD");
    assert_eq!(described(shop.client.post(shop.address(PATH)).body("{")).await, "PARSING_ERROR");
    assert_eq!(described(shop.client.post(shop.address(&PATH.to_lowercase())).body("[]")).await, "PARSING_ERROR");
    for address in ["/WebServices/JSON/Default.aspx?Method=ProcessVoid", "/WebServices/JSON/Default.aspx?Process", "/"]
    {
        let answer = shop.client.post(shop.address(address)).body("{}").send().await.unwrap();

        assert_eq!(answer.status(), 500, "{address}");
        assert!(answer.text().await.unwrap().starts_with('<'), "{address}");
    }
}
