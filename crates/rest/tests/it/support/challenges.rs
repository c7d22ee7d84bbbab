//! A challenged payer, and the issuer.

use sandbox::issuer_result;

use super::{Request, TestResponse, World};

/// Base URL of the checkout.
const CHECKOUT: &str = "https://pay.cobro.example";

impl World {
    /// Submits a card with a challenge. Returns the path that the payer is sent to.
    pub(crate) async fn challenged(&self, created: &TestResponse, number: &str) -> String {
        let submitted = self.send(&self.submission(created, number).await).await;
        assert_eq!(submitted.field("/status"), "requires_customer_action", "{}", submitted.text());
        challenge_path(&submitted)
    }

    /// Opens the page that redirects to the issuer, or the page of the payment after the link starts a session.
    pub(crate) async fn page(&self, path: &str) -> TestResponse {
        let response = self.send(&Request::bare("GET", path)).await;
        let cookie = response.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        if cookie.is_empty() {
            return response;
        }
        self.send(&Request::bare("GET", response.header("location")).with("cookie", cookie)).await
    }

    /// Returns the request that the payer's browser sends after the issuer's page at `path`.
    pub(crate) async fn issuers_result(&self, path: &str, is_authenticated: bool) -> Request {
        let request = value_of(self.page(path).await.text(), "creq");
        let result = issuer_result(&request, is_authenticated).unwrap();
        form(&format!("{path}/answer"), &[("cres", &result), ("threeDSSessionData", "")])
    }
}

/// Returns the path that a response sends the payer to.
pub(crate) fn challenge_path(response: &TestResponse) -> String {
    let url = response.field("/nextAction/url");
    let path = url.strip_prefix(CHECKOUT).unwrap_or_else(|| panic!("{url} is not a checkout URL"));
    assert!(path.starts_with("/c/"), "{path}");
    path.to_owned()
}

/// Submission of a form by a browser.
pub(crate) fn form(target: &str, fields: &[(&str, &str)]) -> Request {
    let every = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let body: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", every(value))).collect();
    Request::bare("POST", target).with("content-type", "application/x-www-form-urlencoded").sending(body.join("&"))
}

/// Returns the value of a hidden field.
fn value_of(page: &str, name: &str) -> String {
    let field = format!("name=\"{name}\" value=\"");
    let value = page.split(&field).nth(1).unwrap_or_else(|| panic!("no {name} in {page}"));
    value.split('"').next().unwrap().to_owned()
}
