//! 3-D Secure: the steps of a purchase, and the issuer's pages.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::TimeDelta;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::web::{Shop, purchase};

const FRICTIONLESS: &str = "4222220020000004";
const CHALLENGE: &str = "4222220021000003";
const BOTH: &str = "4222220022000002";
const FAILS: &str = "4222220023000993";
const UNAVAILABLE: &str = "4222220024000083";

impl Shop {
    async fn buy(&self, number: &str) -> Value {
        let mut body = purchase("Sale", number, "pa_1");
        body["ForceNo3DS"] = json!("0");
        body["ThreeDSAuth"] = json!({
            "TermUrl": "https://pay.example/term?sid=1&x=2", "MethodNotificationUrl": "https://pay.example/method?sid=1",
            "RequestorChallengeIndicator": "01",
        });
        self.ask("", body).await
    }

    async fn after_method(&self, order: &Value, status: &str) -> Value {
        self.ask("?processthreedsmethod", json!({ "AzulOrderId": order, "MethodNotificationStatus": status })).await
    }

    async fn after_challenge(&self, order: &Value, answer: &str) -> Value {
        self.ask("?processthreedschallenge", json!({ "AzulOrderId": order, "CRes": answer })).await
    }

    /// Returns the page of the challenge.
    async fn asked(&self, purchase: &Value) -> String {
        let challenge = &purchase["ThreeDSChallenge"];
        let fields = [("creq", text(&challenge["CReq"])), ("TermUrl", "https://pay.example/term?sid=1&x=2")];
        let page = self.client.post(text(&challenge["RedirectPostUrl"])).body(encoded(&fields)).send().await.unwrap();
        assert_eq!(page.status(), 200);
        page.text().await.unwrap()
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let every = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    fields.iter().map(|(name, value)| format!("{name}={}", every(value))).collect::<Vec<_>>().join("&")
}

/// Returns the value of a field in the form of `button`.
fn value_of<'a>(page: &'a str, name: &str, button: &str) -> &'a str {
    let form = page.split("<form").find(|it| it.contains(button)).unwrap();
    form.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap().split('"').next().unwrap()
}

fn code(answer: &Value) -> (&str, &str) {
    (text(&answer["IsoCode"]), text(&answer["ErrorDescription"]))
}

#[tokio::test]
async fn the_issuer_looks_at_the_browser_before_anything_is_charged() {
    let shop = Shop::open().await;
    let asked = shop.buy(FRICTIONLESS).await;
    let order = &asked["AzulOrderId"];
    let form = text(&asked["ThreeDSMethod"]["MethodForm"]);
    let found = shop.ask("?VerifyPayment", json!({ "CustomOrderId": "pa_1" })).await;
    let status = shop.acquirer.transactions()[0].status;

    let page = shop.client.post(shop.address("/issuer/method"));
    let page = page.body(encoded(&[("threeDSMethodData", value_of(form, "threeDSMethodData", "form"))]));
    let page = page.send().await.unwrap().text().await.unwrap();
    let charged = shop.after_method(order, "RECEIVED").await;
    let again = shop.after_method(order, "RECEIVED").await;

    assert_eq!((code(&asked).0, &asked["ResponseMessage"]), ("3D2METHOD", &json!("3D_SECURE_2_METHOD")));
    assert_eq!((code(&found).0, &found["Found"], status), ("3D2METHOD", &json!(true), "authenticating"));
    assert!(page.contains("action=\"https://pay.example/method?sid=1\""), "{page}");
    let decoded = STANDARD.decode(value_of(&page, "threeDSMethodData", "pay.example")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&decoded).unwrap(), json!({ "threeDSServerTransID": order }));
    assert_eq!(code(&charged), ("00", ""));
    assert_eq!(code(&again), ("", "3DS repost detected."));
    assert_eq!(shop.acquirer.transactions()[0].status, "approved");
}

#[tokio::test]
async fn the_cardholders_answer_decides() {
    let failed = "SGS-005101: Transaction declined. 3D Secure authentication failed.";
    let cases = [
        ("Yes", "00", ""),
        ("No", "99", failed),
        ("Attempt", "00", ""),
        ("Rejected", "99", failed),
        ("Unavailable", "08", ""),
    ];
    for (button, iso, description) in cases {
        let shop = Shop::open().await;
        let asked = shop.buy(CHALLENGE).await;
        let page = shop.asked(&asked).await;

        let answer = shop.after_challenge(&asked["AzulOrderId"], value_of(&page, "cres", button)).await;
        let again = shop.after_challenge(&asked["AzulOrderId"], value_of(&page, "cres", button)).await;

        assert_eq!((code(&asked).0, &asked["ResponseMessage"]), ("3D", &json!("3D_SECURE_CHALLENGE")), "{button}");
        assert!(page.contains("action=\"https://pay.example/term?sid=1&amp;x=2\""), "{page}");
        assert_eq!(code(&answer), (iso, description), "{button}");
        assert_eq!(code(&again), ("", "3DS repost detected."), "{button}");
        let found = shop.ask("?VerifyPayment", json!({ "CustomOrderId": "pa_1" })).await;
        assert_eq!(code(&found).0, iso, "{button}");
    }
}

#[tokio::test]
async fn a_challenge_may_follow_the_look() {
    let shop = Shop::open().await;
    let first = shop.buy(BOTH).await;
    let order = &first["AzulOrderId"];

    let early = STANDARD.encode(format!(r#"{{"threeDSServerTransID":{order},"transStatus":"Y"}}"#));
    let too_soon = shop.after_challenge(order, &early).await;
    let second = shop.after_method(order, "EXPECTED_BUT_NOT_RECEIVED").await;
    let page = shop.asked(&second).await;
    let last = shop.after_challenge(order, value_of(&page, "cres", "Yes")).await;

    assert_eq!((code(&first).0, code(&second).0, code(&last).0), ("3D2METHOD", "3D", "00"));
    assert_eq!(code(&too_soon), ("", "3DS repost detected."));
}

#[tokio::test]
async fn an_authentication_can_fail_or_be_unavailable() {
    for (number, iso) in [(FAILS, "99"), (UNAVAILABLE, "08")] {
        let shop = Shop::open().await;
        let asked = shop.buy(number).await;

        let answer = shop.after_method(&asked["AzulOrderId"], "NOT_EXPECTED").await;

        assert_eq!((code(&asked).0, code(&answer).0), ("3D2METHOD", iso), "{number}");
        assert_eq!(shop.acquirer.transactions()[0].status, "declined", "{number}");
    }
}

#[tokio::test]
async fn a_request_can_opt_out_of_3ds() {
    let shop = Shop::open().await;

    let answer = shop.ask("", purchase("Sale", BOTH, "pa_1")).await;

    assert_eq!(code(&answer), ("00", ""));
}

#[tokio::test]
async fn an_unfinished_authentication_makes_no_charge() {
    let shop = Shop::open().await;
    let asked = shop.buy(CHALLENGE).await;
    let page = shop.asked(&asked).await;
    let order = &asked["AzulOrderId"];

    let of_another = shop.after_challenge(&json!("99999999"), value_of(&page, "cres", "Yes")).await;
    let nonsense = shop.after_challenge(order, "bm9uc2Vuc2U=").await;
    let unknown = shop.after_method(order, "MAYBE").await;
    shop.clock.advance(TimeDelta::minutes(15) + TimeDelta::seconds(1));
    let late = shop.after_challenge(order, value_of(&page, "cres", "Yes")).await;

    assert_eq!(code(&of_another), ("", "VALIDATION_ERROR:CRes"));
    assert_eq!(code(&nonsense), ("", "VALIDATION_ERROR:CRes"));
    assert_eq!(code(&unknown), ("", "VALIDATION_ERROR:MethodNotificationStatus"));
    assert_eq!(code(&late), ("", "3DS time frame expired or loss of session."));
    assert_eq!(shop.acquirer.transactions()[0].status, "authenticating");
}

#[tokio::test]
async fn authentication_steps_survive_a_restart() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("acquirer.jsonl");
    let before = Shop::with_journal(&path).await;
    let asked = before.buy(BOTH).await;
    before.after_method(&asked["AzulOrderId"], "RECEIVED").await;
    let hold = before.ask("", purchase("Hold", "4222220000000008", "pa_2")).await;
    let part = json!({ "AzulOrderId": hold["AzulOrderId"], "Amount": "10000", "Itbis": "000" });
    before.ask("?ProcessPost", part).await;
    let listed = before.acquirer.transactions();
    drop(before);
    // Connections end asynchronously, and then release the journal.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }

    let after = Shop::with_journal(&path).await;
    let found = |name: &str| after.ask("?VerifyPayment", json!({ "CustomOrderId": name }));

    assert_eq!(after.acquirer.transactions(), listed);
    assert_eq!(code(&found("pa_1").await).0, "3D");
    assert_eq!(found("pa_2").await["Amount"], "10000");
}

#[tokio::test]
async fn the_issuer_sends_the_browser_to_no_script() {
    let shop = Shop::open().await;
    let asked = shop.buy(CHALLENGE).await;
    let request = text(&asked["ThreeDSChallenge"]["CReq"]);

    for back in ["javascript:alert(1)", "", "//elsewhere.example"] {
        let fields = encoded(&[("creq", request), ("TermUrl", back)]);
        let page = shop.client.post(shop.address("/issuer/challenge")).body(fields).send().await.unwrap();

        assert_eq!(page.status(), 400, "{back}");
    }
}
