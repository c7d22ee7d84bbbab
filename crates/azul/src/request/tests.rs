use domain::{Card, Currency::Dop, Mode, text::Email};
use ports::{AttemptRef, Authentication, Browser, CardToken, Instrument, ReturnUrls, Screen, Wallet};
use serde_json::{Value, json};
use testkit::sample::{account_id, attempt_id, browser, payment_id, symbols, today};

use super::*;

fn account() -> AzulAccount {
    let secret = |text: &str| Zeroizing::new(text.to_owned());
    AzulAccount {
        version: 1,
        mode: Mode::Test,
        store: "39000000001".to_owned(),
        channel: "EC".to_owned(),
        auth1: secret("one"),
        auth2: secret("two"),
        identity: Zeroizing::new(Vec::new()),
        has_3ds: true,
        has_vault: true,
        takes_one_refund: false,
        phone: "8095550100".to_owned(),
        shop: "https://shop.example".to_owned(),
    }
}

fn charge(itbis: i64, holder: Option<&str>) -> Charge {
    let text = |it: &str| Zeroizing::new(it.to_owned());
    Charge {
        attempt: AttemptRef { account: account_id(1), attempt: attempt_id(17) },
        payment: payment_id(1),
        amount: Money::new(1_180_00, Dop),
        itbis: Money::new(itbis, Dop),
        statement_descriptor: r#"D'MARÍA "LA \ESQUINA" DEL CENTRO"#.to_owned(),
        instrument: Card::new(text("4260550061845872"), text("123"), 2, 2034, holder.map(text)).unwrap().into(),
        email: holder.and_then(|_| Email::parse("ana@example.com")),
        authentication: None,
        stores_card: false,
    }
}

fn read(bytes: Result<Bytes, Inexpressible>) -> Value {
    serde_json::from_slice(&bytes.unwrap()).unwrap()
}

#[test]
fn a_hold_has_the_documented_fields() {
    let attempt = attempt_id(17);

    let body = read(purchase(&account(), Operation::Hold, charge(180_00, Some("Ana Perez"))));

    let expected = json!({
        "Channel": "EC", "Store": "39000000001", "CardNumber": "4260550061845872", "Expiration": "203402",
        "CVC": "123", "PosInputMode": "E-Commerce", "TrxType": "Hold", "Amount": "118000", "Itbis": "18000",
        "CurrencyPosCode": "$", "Payments": "1", "Plan": "0", "AcquirerRefData": "1",
        "OrderNumber": order_number(&attempt), "CustomerServicePhone": "8095550100",
        "ECommerceUrl": "https://shop.example", "CustomOrderId": attempt.as_str(), "DataVaultToken": "",
        "SaveToDataVault": "0", "ForceNo3DS": "1", "AltMerchantName": "DMARÍA LA ESQUINA DEL CEN",
        "CardHolderName": "Ana Perez", "CardHolderEmail": "ana@example.com", "cardholderInitiatedIndicator": "1",
    });
    assert_eq!(body, expected);
}

fn charge_with_browser(screen: Option<Screen>) -> Charge {
    let at = |it: &str| format!("https://pay.example/c/{}/{it}", symbols(1).as_str());
    let returns = ReturnUrls { method: at("look"), challenge: at("answer") };
    let authentication = Some(Authentication { browser: Browser { screen, ..browser() }, returns });
    Charge { authentication, ..charge(0, Some("Ana Perez")) }
}

#[test]
fn a_purchase_with_3d_secure_describes_the_browser() {
    let screen = Screen { width: 1920, height: 1080, color_depth: 24, minutes_behind_utc: 240 };

    let body = read(purchase(&account(), Operation::Sale, charge_with_browser(Some(screen))));

    let secret = symbols(1);
    let at = |it: &str| format!("https://pay.example/c/{}/{it}", secret.as_str());
    assert_eq!(body["ForceNo3DS"], "0");
    assert_eq!(
        body["ThreeDSAuth"],
        json!({ "TermUrl": at("answer"), "MethodNotificationUrl": at("look"), "RequestorChallengeIndicator": "01" })
    );
    assert_eq!(body["CardHolderInfo"], json!({ "Name": "Ana Perez", "Email": "ana@example.com" }));
    assert_eq!(
        body["BrowserInfo"],
        json!({
            "AcceptHeader": "text/html", "IPAddress": "203.0.113.9", "Language": "es-DO", "ColorDepth": "24",
            "ScreenWidth": "1920", "ScreenHeight": "1080", "TimeZone": "240", "UserAgent": "Mozilla/5.0",
            "JavaScriptEnabled": "true",
        })
    );
}

/// Values that only a script can read are omitted.
#[test]
fn a_browser_without_a_script_is_described_as_such() {
    let body = read(purchase(&account(), Operation::Sale, charge_with_browser(None)));

    let expected = json!({
        "AcceptHeader": "text/html", "IPAddress": "203.0.113.9", "Language": "es-DO", "UserAgent": "Mozilla/5.0",
        "JavaScriptEnabled": "false",
    });
    assert_eq!(body["BrowserInfo"], expected);
}

#[test]
fn a_purchase_without_3d_secure_requests_the_exemption() {
    let account = AzulAccount { has_3ds: false, ..account() };

    let body = read(purchase(&account, Operation::Sale, charge_with_browser(None)));

    assert_eq!(body["ForceNo3DS"], "1");
    for node in ["ThreeDSAuth", "CardHolderInfo", "BrowserInfo"] {
        assert_eq!(body.get(node), None, "{node}");
    }
}

fn token() -> CardToken {
    CardToken::new(Zeroizing::new("C74C6B5D-0F3E-4E31-94EC-5A6F1B4C1A11".to_owned()))
}

#[test]
fn a_card_is_stored_if_the_account_has_the_vault() {
    let wanted = || Charge { stores_card: true, ..charge(0, Some("Ana Perez")) };
    let without = AzulAccount { has_vault: false, ..account() };

    let stored = read(purchase(&account(), Operation::Hold, wanted()));
    let not_stored = read(purchase(&without, Operation::Hold, wanted()));

    let fields = |it: &Value| (it["SaveToDataVault"].clone(), it["cardholderInitiatedIndicator"].clone());
    assert_eq!(fields(&stored), (json!("1"), json!("STANDING_ORDER")));
    assert_eq!(fields(&not_stored), (json!("0"), json!("1")));
    assert_eq!(stored.get("merchantInitiatedIndicator"), None);
}

/// The card fields are present and empty.
#[test]
fn a_stored_card_is_charged_by_its_token() {
    let anew = Charge { instrument: Instrument::StoredCard(token()), ..charge_with_browser(None) };

    let body = read(purchase(&account(), Operation::Hold, anew));

    for (field, value) in [
        ("DataVaultToken", "C74C6B5D-0F3E-4E31-94EC-5A6F1B4C1A11"),
        ("CardNumber", ""),
        ("Expiration", ""),
        ("CVC", ""),
        ("SaveToDataVault", "0"),
        ("ForceNo3DS", "1"),
        ("merchantInitiatedIndicator", "STANDING_ORDER"),
    ] {
        assert_eq!(body[field], value, "{field}");
    }
    for absent in ["cardholderInitiatedIndicator", "ThreeDSAuth", "CardHolderName"] {
        assert_eq!(body.get(absent), None, "{absent}");
    }
    let expected = json!({
        "Channel": "EC", "Store": "39000000001", "TrxType": "DELETE",
        "DataVaultToken": "C74C6B5D-0F3E-4E31-94EC-5A6F1B4C1A11",
    });
    assert_eq!(read(delete_card(&account(), &token())), expected);
}

#[test]
fn an_authentication_continues_by_its_order_id() {
    let with = |more: (&str, &str)| {
        let mut all = json!({ "Channel": "EC", "Store": "39000000001", "AzulOrderId": "44772544" });
        all[more.0] = json!(more.1);
        all
    };

    assert_eq!(read(method_completed(&account(), "44772544", true)), with(("MethodNotificationStatus", "RECEIVED")));
    assert_eq!(
        read(method_completed(&account(), "44772544", false)),
        with(("MethodNotificationStatus", "EXPECTED_BUT_NOT_RECEIVED"))
    );
    assert_eq!(read(challenge_completed(&account(), "44772544", "eyJ9")), with(("CRes", "eyJ9")));
}

#[test]
fn a_sale_without_itbis_has_three_zeros() {
    let body = read(purchase(&account(), Operation::Sale, charge(0, None)));

    assert_eq!((&body["TrxType"], &body["Itbis"]), (&json!("Sale"), &json!("000")));
    assert_eq!((body.get("CardHolderName"), body.get("CardHolderEmail")), (None, None));
}

/// AZUL refuses a sale with a longer address.
#[test]
fn an_email_address_too_long_for_azul_is_omitted() {
    let with = |length: usize| {
        let email = Email::parse(&format!("{}@example.com", "a".repeat(length - "@example.com".len())));
        assert!(email.is_some());
        read(purchase(&account(), Operation::Sale, Charge { email, ..charge_with_browser(None) }))
    };

    let (longest, too_long) = (with(254), with(255));

    assert_eq!(longest["CardHolderEmail"].as_str().map(str::len), Some(254));
    assert_eq!(longest["CardHolderInfo"]["Email"], longest["CardHolderEmail"]);
    assert_eq!(too_long.get("CardHolderEmail"), None);
    assert_eq!(too_long["CardHolderInfo"], json!({ "Name": "Ana Perez" }));
}

#[test]
fn an_inexpressible_charge_is_not_sent() {
    let dollars = Charge { amount: Money::new(1_00, domain::Currency::Usd), ..charge(0, None) };
    let nothing = Charge { amount: Money::zero(Dop), ..charge(0, None) };
    let wallet = Wallet { kind: "wallet_a_pay".to_owned(), payload: Zeroizing::new("{}".to_owned()) };
    let wallet = Charge { instrument: Instrument::Wallet(wallet), ..charge(0, None) };

    assert!(purchase(&account(), Operation::Sale, dollars).is_err());
    assert!(purchase(&account(), Operation::Sale, nothing).is_err());
    assert!(purchase(&account(), Operation::Sale, wallet).is_err());
    assert!(post(&account(), "44772544", Money::zero(Dop), Money::zero(Dop)).is_err());
}

#[test]
fn a_capture_a_void_and_a_refund_name_their_transaction() {
    let money = |minor_units| Money::new(minor_units, Dop);
    let attempt = attempt_id(17);
    let merchant = json!({ "Channel": "EC", "Store": "39000000001", "AzulOrderId": "44772544" });
    let with = |more: Value| {
        let mut all = merchant.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };

    assert_eq!(read(void(&account(), "44772544")), merchant);
    assert_eq!(
        read(post(&account(), "44772544", money(1_180_00), money(0))),
        with(json!({ "Amount": "118000", "Itbis": "000" }))
    );
    assert_eq!(
        read(refund(
            &account(),
            "44772544",
            (&attempt, &refund_id(&attempt)),
            (money(1_180_00), money(180_00)),
            today()
        )),
        with(json!({
            "PosInputMode": "E-Commerce", "TrxType": "Refund", "Amount": "118000", "Itbis": "18000",
            "CurrencyPosCode": "$", "AcquirerRefData": "", "OrderNumber": order_number(&attempt),
            "CustomOrderId": format!("{}.r", attempt.as_str()), "OriginalDate": "20260301",
        }))
    );
}

#[test]
fn look_ups_name_an_order_or_a_day() {
    assert_eq!(
        read(verify(&account(), "pa_1")),
        json!({ "Channel": "EC", "Store": "39000000001", "CustomOrderId": "pa_1" })
    );
    assert_eq!(
        read(search(&account(), today())),
        json!({ "Channel": "EC", "Store": "39000000001", "DateFrom": "2026-03-01", "DateTo": "2026-03-01" })
    );
}

#[test]
fn the_longest_names_fit() {
    let longest = AttemptId::new(&Symbols::parse(&"z".repeat(64)).unwrap());

    assert!(refund_id(&longest).len() <= 75);
    assert!(order_number(&longest).len() <= 15);
    assert_ne!(order_number(&attempt_id(1)), order_number(&attempt_id(2)));
    assert!(order_number(&AttemptId::new(&symbols(1))).bytes().all(|it| it.is_ascii_digit()));
}
