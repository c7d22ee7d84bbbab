//! A payer whose issuer wants to see them, and the issuer.

use sandbox::issuer_result;

use super::{Request, TestResponse, World};

/// Where the checkout is that answers point to.
const CHECKOUT: &str = "https://pay.cobro.example";

impl World {
    /// Submits a card whose issuer wants to see the payer, and returns where the payer is sent.
    pub(crate) async fn challenged(&self, created: &TestResponse, number: &str) -> String {
        let submitted = self.send(&self.submission(created, number).await).await;
        assert_eq!(submitted.field("/status"), "requires_customer_action", "{}", submitted.text());
        place(&submitted)
    }

    /// The page at which a payer is brought to the issuer, or that of the payment, where the link is exchanged first.
    pub(crate) async fn page(&self, place: &str) -> TestResponse {
        let answer = self.send(&Request::bare("GET", place)).await;
        let cookie = answer.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        if cookie.is_empty() {
            return answer;
        }
        self.send(&Request::bare("GET", answer.header("location")).with("cookie", cookie)).await
    }

    /// What the payer's browser is to carry back from the issuer, as the page at `place` asks it.
    pub(crate) async fn issuers_answer(&self, place: &str, is_authenticated: bool) -> Request {
        let request = value_of(self.page(place).await.text(), "creq");
        let result = issuer_result(&request, is_authenticated).unwrap();
        form(&format!("{place}/answer"), &[("cres", &result), ("threeDSSessionData", "")])
    }
}

/// Where an answer sends the payer, as a path.
pub(crate) fn place(answer: &TestResponse) -> String {
    let url = answer.field("/nextAction/url");
    let place = url.strip_prefix(CHECKOUT).unwrap_or_else(|| panic!("{url} is no page of ours"));
    assert!(place.starts_with("/c/"), "{place}");
    place.to_owned()
}

/// What a browser sends when a form is sent.
pub(crate) fn form(target: &str, fields: &[(&str, &str)]) -> Request {
    let every = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let body: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", every(value))).collect();
    Request::bare("POST", target).with("content-type", "application/x-www-form-urlencoded").sending(body.join("&"))
}

/// The value of the hidden field of that name.
fn value_of(page: &str, name: &str) -> String {
    let field = format!("name=\"{name}\" value=\"");
    let value = page.split(&field).nth(1).unwrap_or_else(|| panic!("no {name} in {page}"));
    value.split('"').next().unwrap().to_owned()
}
