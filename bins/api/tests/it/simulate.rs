//! The simulated acquirer as a separate process.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Server, cobro};

#[tokio::test]
async fn acquirer_prints_its_address_and_stops_on_sigterm() {
    let folder = TempDir::new().unwrap();
    let journal = folder.path().join("acquirer.journal");
    let arguments = ["simulate", "acquirer", "--listen", "127.0.0.1:0", "--journal", journal.to_str().unwrap()];
    let mut server = Server::start(folder.path(), &arguments);
    let ready: Value = serde_json::from_str(&server.first_line().await).unwrap();
    let text = |field: &str| ready[field].as_str().unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();

    let sale = json!({
        "Channel": text("channel"), "Store": text("store"), "CardNumber": "4222220000000008", "Expiration": "209912",
        "CVC": "123", "TrxType": "Sale", "Amount": "11800", "Itbis": "1800", "CurrencyPosCode": "$",
        "OrderNumber": "1", "CustomOrderId": "pa_1",
    });
    let request = client.post(text("url")).header("Auth1", text("auth1")).header("Auth2", text("auth2")).json(&sale);
    let response: Value = request.send().await.unwrap().json().await.unwrap();
    let moved = client.post(format!("{}clock/advance", text("controlUrl"))).json(&json!({ "seconds": 60 }));
    let moved = moved.send().await.unwrap().status();
    let (status, _) = server.stop("TERM").await;

    assert_eq!((&response["IsoCode"], &response["CustomOrderId"]), (&json!("00"), &json!("pa_1")));
    assert_eq!((moved.as_u16(), status.code()), (200, Some(0)), "{}", server.log());
    assert_eq!(server.output().lines().count(), 1);
    assert!(!std::fs::read_to_string(journal).unwrap().contains("4222220000000008"));
    assert!(!server.log().contains("4222220000000008"));
}

#[test]
fn a_certificate_without_its_key_is_refused() {
    let output = cobro(&["simulate", "acquirer", "--tls-certificate", "there.pem"], &[]);

    assert!(!output.is_success);
    assert!(output.stderr.contains("--tls-key"), "{output:?}");
}
