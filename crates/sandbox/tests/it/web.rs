//! The acquirer's web services.

use std::{net::SocketAddr, path::Path, sync::Arc};

use chrono::TimeDelta;
use ports::Clock;
use reqwest::Client;
use sandbox::{Acquirer, AcquirerProfile, AcquirerService, Cut, Faults, Interruption, LookupFormat, RunningServer};
use serde_json::{Value, json};
use testkit::memory::TestClock;

const GOOD: &str = "4222220000000008";

/// A listening acquirer, and a client.
pub(crate) struct Shop {
    pub(crate) acquirer: Acquirer,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) listening: RunningServer,
    pub(crate) client: Client,
}

impl Shop {
    pub(crate) async fn open() -> Self {
        Self::with(LookupFormat::Documented).await
    }

    async fn with(found: LookupFormat) -> Self {
        let clock = Arc::new(TestClock::default());
        Self::of(Acquirer::in_memory(clock.clone(), Arc::new(Faults::default())), clock, found).await
    }

    pub(crate) async fn with_journal(path: &Path) -> Self {
        let clock = Arc::new(TestClock::default());
        let acquirer = Acquirer::open(path, clock.clone(), Arc::new(Faults::default())).unwrap();
        Self::of(acquirer, clock, LookupFormat::Documented).await
    }

    async fn of(acquirer: Acquirer, clock: Arc<TestClock>, found: LookupFormat) -> Self {
        let disabled = AcquirerProfile { auth1: "disabled".to_owned(), is_disabled: true, ..profile() };
        let certified = AcquirerProfile {
            auth1: "certified".to_owned(),
            certificate_serial: Some("01".to_owned()),
            may_hold: false,
            ..profile()
        };
        let without_holds = AcquirerProfile { auth1: "sales".to_owned(), may_hold: false, ..profile() };
        let service = AcquirerService {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            profiles: vec![profile(), disabled, certified, without_holds],
            tls: None,
            keeps_connections: true,
            lookup_format: found,
            clock: None,
        };
        let listening = acquirer.listen(service).await.unwrap();
        Self { acquirer, clock, listening, client: Client::builder().no_proxy().build().unwrap() }
    }

    pub(crate) fn address(&self, rest: &str) -> String {
        format!("http://{}{rest}", self.listening.address())
    }

    /// Sends `body` with the merchant's credentials, and returns the response.
    pub(crate) async fn ask(&self, flag: &str, mut body: Value) -> Value {
        let fields = body.as_object_mut().unwrap();
        fields.entry("Channel").or_insert(json!("EC"));
        fields.entry("Store").or_insert(json!("39000000001"));
        let request = self.client.post(self.address(&format!("/WebServices/JSON/Default.aspx{flag}")));
        let answer = request.header("Auth1", "one").header("Auth2", "two").json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        answer.json().await.unwrap()
    }

    async fn sale(&self, kind: &str, number: &str, name: &str) -> Value {
        self.ask("", purchase(kind, number, name)).await
    }

    pub(crate) async fn about(&self, flag: &str, order: &Value) -> Value {
        self.ask(flag, json!({ "AzulOrderId": order, "Amount": "11800", "Itbis": "1800" })).await
    }

    async fn verify(&self, name: &str) -> Value {
        self.ask("?VerifyPayment", json!({ "CustomOrderId": name })).await
    }
}

fn profile() -> AcquirerProfile {
    AcquirerProfile {
        store: "39000000001".to_owned(),
        channel: "EC".to_owned(),
        auth1: "one".to_owned(),
        auth2: "two".to_owned(),
        certificate_serial: None,
        may_hold: true,
        may_store_cards: true,
        has_3ds: true,
        is_disabled: false,
    }
}

pub(crate) fn purchase(kind: &str, number: &str, name: &str) -> Value {
    json!({
        "CardNumber": number, "Expiration": "203412", "CVC": "123", "PosInputMode": "E-Commerce", "TrxType": kind,
        "Amount": "11800", "Itbis": "1800", "CurrencyPosCode": "$", "Payments": "1", "Plan": "0",
        "AcquirerRefData": "1", "OrderNumber": "1", "CustomOrderId": name, "ForceNo3DS": "1",
    })
}

#[tokio::test]
async fn an_approval_is_spelled_as_it_was_met() {
    let shop = Shop::open().await;

    let answer = shop.sale("Sale", GOOD, "pa_1").await;

    let expected = json!({
        "AuthorizationCode": "OK0001", "AzulOrderId": "00000001", "CustomOrderId": "pa_1",
        "DateTime": "20260301080000", "ErrorDescription": "", "IsoCode": "00", "LotNumber": "",
        "RRN": "2026030108000000000001", "ResponseCode": "ISO8583", "ResponseMessage": "APROBADA", "Ticket": "1",
    });
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn declines_have_an_order_and_errors_have_none() {
    let shop = Shop::open().await;
    let cases = [
        ("4222220000000511", "51", ""),
        ("4222220000000636", "63", ""),
        ("4222220000000081", "08", ""),
        ("4222220001000999", "99", "ERROR CVC"),
        ("4222220003000997", "99", "SGS-007778: Transaction timed out and has not been processed, please retry."),
        ("4222220004000004", "99", "SGS-030508: Transaction timed out."),
        ("4222220000000009", "99", "SGS-002303: Invalid credit card number"),
    ];

    for (number, code, description) in cases {
        let answer = shop.sale("Sale", number, number).await;

        assert_eq!((&answer["ResponseCode"], &answer["IsoCode"]), (&json!("ISO8583"), &json!(code)), "{number}");
        assert_eq!(answer["ErrorDescription"], description, "{number}");
        assert_eq!((&answer["AuthorizationCode"], &answer["RRN"]), (&json!(""), &json!("")), "{number}");
    }
    assert_eq!(shop.sale("Sale", "4222220000000511", "a").await["AzulOrderId"], "00000008");
    let error = shop.sale("Sale", "4222220009000009", "b").await;
    assert_eq!((&error["ErrorDescription"], &error["AzulOrderId"]), (&json!("PROCESSING_ERROR"), &json!("")));
    assert_eq!(shop.verify("b").await["IsoCode"], "00");
}

#[tokio::test]
async fn requests_are_not_deduplicated_and_look_ups_return_the_newest() {
    let shop = Shop::open().await;

    let first = shop.sale("Sale", GOOD, "same").await;
    let second = shop.sale("Sale", GOOD, "same").await;
    shop.sale("Sale", "4222220000000511", "same").await;

    assert_eq!((&first["IsoCode"], &second["IsoCode"]), (&json!("00"), &json!("00")));
    assert_ne!(first["AzulOrderId"], second["AzulOrderId"]);
    assert_eq!(shop.acquirer.transactions().len(), 3);
    assert_eq!(shop.verify("same").await["IsoCode"], "51");
}

#[tokio::test]
async fn not_found_has_both_formats() {
    let documented = Shop::open().await.verify("unknown").await;
    let production = Shop::with(LookupFormat::Production).await;
    production.sale("Sale", GOOD, "known").await;

    assert_eq!((&documented["Found"], &documented["IsoCode"]), (&json!(false), &json!("")));
    assert_eq!(documented["Amount"], Value::Null);
    let undocumented = production.verify("unknown").await;
    assert_eq!((&undocumented["Found"], &undocumented["IsoCode"]), (&json!("0"), &json!("00")));
    assert_eq!(production.verify("known").await["Found"], "1");
}

#[tokio::test]
async fn captures_and_voids_inherit_the_name_and_happen_once() {
    let shop = Shop::open().await;
    let hold = shop.sale("Hold", GOOD, "pa_1").await;

    let found = shop.verify("pa_1").await;
    let posted = shop.about("?ProcessPost", &hold["AzulOrderId"]).await;
    let again = shop.about("?processpost", &hold["AzulOrderId"]).await;
    let after = shop.verify("pa_1").await;
    let voided = shop.about("?ProcessVoid", &posted["AzulOrderId"]).await;
    let in_vain = shop.about("?ProcessVoid", &hold["AzulOrderId"]).await;

    assert_eq!(
        (&found["TransactionType"], &found["Amount"], &found["Itbis"]),
        (&json!("Hold"), &json!("11800"), &json!("1800"))
    );
    assert_eq!(found.get("AzulOrderId"), None);
    assert_eq!((&posted["IsoCode"], &posted["RRN"]), (&json!("00"), &json!("")));
    assert_eq!(again["ErrorDescription"], "Original transaction is invalid or has already been posted");
    assert_eq!(after["TransactionType"], "Post");
    assert_eq!(voided["IsoCode"], "00");
    assert_ne!(voided["AzulOrderId"], posted["AzulOrderId"]);
    assert_eq!(in_vain["ErrorDescription"], "Original transaction is invalid or has already been voided");
    assert_eq!(shop.verify("pa_1").await["TransactionType"], "Void");
}

#[tokio::test]
async fn a_sale_is_voided_for_twenty_minutes_and_returned_for_six_months() {
    let shop = Shop::open().await;
    let sale = shop.sale("Sale", GOOD, "pa_1").await;
    let order = &sale["AzulOrderId"];
    let refund = |amount: &str, name: &str| {
        json!({ "TrxType": "Refund", "AzulOrderId": order, "Amount": amount, "Itbis": "000", "CurrencyPosCode": "$",
            "OrderNumber": "", "CustomOrderId": name, "OriginalDate": "20260301" })
    };

    shop.clock.advance(TimeDelta::minutes(20) + TimeDelta::seconds(1));
    let too_late = shop.about("?ProcessVoid", order).await;
    let part = shop.ask("", refund("11700", "r1")).await;
    let too_much = shop.ask("", refund("101", "r2")).await;
    let rest = shop.ask("", refund("100", "r3")).await;

    assert_eq!(too_late["ResponseCode"], "Error");
    assert_eq!((&part["IsoCode"], &part["AuthorizationCode"]), (&json!("00"), &json!("")));
    assert_ne!(part["RRN"], "");
    let text = "Original transaction is invalid, exceeds original amount or has already been returned";
    assert_eq!(too_much["ErrorDescription"], text);
    assert_eq!(rest["IsoCode"], "00");
    assert_eq!(shop.verify("pa_1").await["TransactionType"], "Sale");
    assert_eq!(shop.verify("r1").await["TransactionType"], "Refund");
}

#[tokio::test]
async fn a_hold_gives_a_little_more_than_it_holds_and_not_much_more() {
    let shop = Shop::open().await;
    let hold = shop.sale("Hold", GOOD, "pa_1").await;
    let post = |amount: &str| json!({ "AzulOrderId": hold["AzulOrderId"], "Amount": amount, "Itbis": "000" });

    let too_much = shop.ask("?ProcessPost", post("13571")).await;
    let less = shop.ask("?ProcessPost", post("10000")).await;

    let text = "Amount to be posted cannot be greater than 15pct of original Hold/preAuth.";
    assert_eq!(too_much["ErrorDescription"], text);
    assert_eq!(less["IsoCode"], "00");
    assert_eq!(shop.verify("pa_1").await["Amount"], "10000");
}

#[tokio::test]
async fn a_day_shows_all_that_happened_on_it() {
    let shop = Shop::open().await;
    let hold = shop.sale("Hold", GOOD, "pa_1").await;
    shop.sale("Sale", "4222220000000511", "pa_2").await;
    shop.clock.advance(TimeDelta::days(1));
    shop.about("?ProcessPost", &hold["AzulOrderId"]).await;
    let search = |day: &str| shop.ask("?SearchPayments", json!({ "DateFrom": day, "DateTo": day }));

    let (first, second) = (search("2026-03-01").await, search("20260302").await);

    let kinds = |it: &Value| -> Vec<(String, String)> {
        let rows = it["Transactions"].as_array().unwrap();
        rows.iter().map(|it| (it["TransactionType"].to_string(), it["IsoCode"].to_string())).collect()
    };
    let pair = |one: &str, two: &str| (format!("\"{one}\""), format!("\"{two}\""));
    assert_eq!(first["ResponseCode"], "SEARCHED");
    assert_eq!(kinds(&first), [pair("Hold", "00"), pair("Sale", "51")]);
    assert_eq!(kinds(&second), [pair("Post", "00")]);
    assert_eq!(first["Transactions"][0]["AzulOrderId"], hold["AzulOrderId"]);
}

#[tokio::test]
async fn an_exchange_is_cut_where_it_was_wished_and_once() {
    for cut in Cut::ALL {
        let shop = Shop::open().await;
        let operation = Some("Sale".to_owned());
        shop.listening.interrupt(Interruption { cut, takes_effect: cut.has_read(), operation });
        let request = shop.client.post(shop.address("/WebServices/JSON/Default.aspx"));
        let body = {
            let mut body = purchase("Sale", GOOD, "pa_1");
            body.as_object_mut()
                .unwrap()
                .extend([("Channel".into(), json!("EC")), ("Store".into(), json!("39000000001"))]);
            body
        };
        let request = request.header("Auth1", "one").header("Auth2", "two").json(&body);

        let answer = match tokio::time::timeout(std::time::Duration::from_secs(2), request.send()).await {
            Ok(Ok(answer)) => answer.text().await.ok(),
            _ => None,
        };

        let is_whole = matches!(cut, Cut::AfterResponse | Cut::ServerError);
        assert_eq!(answer.is_some(), is_whole, "{cut:?}");
        assert_eq!(shop.acquirer.transactions().len(), usize::from(cut.has_read()), "{cut:?}");
        assert_eq!(shop.sale("Sale", GOOD, "pa_2").await["IsoCode"], "00", "{cut:?}");
    }
}

#[tokio::test]
async fn test_controls_list_transactions_and_inject_cuts() {
    let shop = Shop::open().await;
    shop.sale("Sale", GOOD, "pa_1").await;
    let interrupt = |body: Value| {
        let request = shop.client.post(shop.address("/simulator/interruptions")).json(&body);
        async { request.send().await.unwrap().status().as_u16() }
    };

    let seen: Value =
        shop.client.get(shop.address("/simulator/transactions")).send().await.unwrap().json().await.unwrap();
    let taken = interrupt(json!({ "cut": "server_error", "takesEffect": true, "operation": "VerifyPayment" })).await;
    let unknown = interrupt(json!({ "cut": "sometimes" })).await;
    let impossible = interrupt(json!({ "cut": "at_connect", "takesEffect": true })).await;

    assert_eq!(seen["data"][0]["attemptId"], "pa_1");
    assert!(!seen.to_string().contains(GOOD));
    assert_eq!((taken, unknown, impossible), (200, 400, 400));
    assert!(shop.clock.now() > chrono::DateTime::UNIX_EPOCH);
}
