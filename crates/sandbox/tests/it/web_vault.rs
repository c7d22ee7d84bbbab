//! Stored cards of the acquirer's web service.

use serde_json::{Value, json};

use crate::web::{Shop, purchase};

const GOOD: &str = "4222220000000008";
const UNKNOWN: &str = "DataVault TokenId does not exist.";

fn by(token: &Value, name: &str) -> Value {
    let mut body = purchase("Hold", "", name);
    for field in ["Expiration", "CVC"] {
        body[field] = json!("");
    }
    body["DataVaultToken"] = token.clone();
    body
}

#[tokio::test]
async fn a_purchase_stores_a_card_until_deletion() {
    let shop = Shop::open().await;
    let mut first = purchase("Hold", GOOD, "one");
    first["SaveToDataVault"] = json!("1");

    let stored = shop.ask("", first).await;
    let token = &stored["DataVaultToken"];
    let again = shop.ask("", by(token, "two")).await;
    let vault = json!({ "TrxType": "DELETE", "DataVaultToken": token });
    let (deleted, twice) =
        (shop.ask("?ProcessDatavault", vault.clone()).await, shop.ask("?processdatavault", vault).await);
    let late = shop.ask("", by(token, "three")).await;

    assert_eq!((&stored["IsoCode"], token.as_str().map(str::len)), (&json!("00"), Some(36)));
    assert_eq!((&again["IsoCode"], again.get("DataVaultToken")), (&json!("00"), None));
    assert_eq!(deleted["IsoCode"], "00");
    for refused in [twice, late] {
        assert_eq!((&refused["ResponseCode"], &refused["ErrorDescription"]), (&json!("Error"), &json!(UNKNOWN)));
    }
}

/// Storing a card moves no money, and is not listed as a transaction.
#[tokio::test]
async fn a_card_is_stored_without_a_charge() {
    let shop = Shop::open().await;
    let create =
        |number: &str| json!({ "TrxType": "CREATE", "CardNumber": number, "Expiration": "203412", "CVC": "123" });

    let stored = shop.ask("?ProcessDatavault", create(GOOD)).await;
    let wrong = shop.ask("?ProcessDatavault", create("4222220000000007")).await;
    let nonsense = shop.ask("?ProcessDatavault", json!({ "TrxType": "create" })).await;
    let held = shop.ask("", by(&stored["DataVaultToken"], "one")).await;

    assert_eq!((&stored["IsoCode"], &stored["CardNumber"]), (&json!("00"), &json!("XXXXXX******0008")));
    assert_eq!(wrong["ErrorDescription"], "VALIDATION_ERROR:CardNumber");
    assert_eq!(nonsense["ErrorDescription"], "VALIDATION_ERROR:TrxType");
    assert_eq!(held["IsoCode"], "00");
    let day = json!({ "DateFrom": "2026-03-01", "DateTo": "2026-03-01" });
    assert_eq!(shop.ask("?SearchPayments", day).await["Transactions"].as_array().map(Vec::len), Some(1));
}
