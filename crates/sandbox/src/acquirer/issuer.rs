//! Pages of a small issuer (an ACS): the 3-D Secure method, and a challenge with the five buttons of AZUL's own test
//! issuer.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use url::form_urlencoded;

/// Path of the method.
const METHOD: &str = "/issuer/method";
/// Path of the challenge.
pub(super) const CHALLENGE: &str = "/issuer/challenge";
/// All pages.
pub(super) const PAGES: [&str; 2] = [METHOD, CHALLENGE];

/// Labels of the buttons with their status.
const BUTTONS: [(&str, &str); 5] =
    [("Yes", "Y"), ("No", "N"), ("Attempt", "A"), ("Rejected", "R"), ("Unavailable", "U")];

/// Hidden form of the merchant's page that starts the method.
pub(super) fn method_form(address: &str, id: &str, notify: &str) -> String {
    let data = json!({ "threeDSServerTransID": id, "threeDSMethodNotificationURL": notify });
    let data = STANDARD.encode(data.to_string());
    format!(
        "<iframe name=\"method\" style=\"width:1px;height:1px;display:none\"></iframe>\
         <form id=\"method\" target=\"method\" method=\"post\" action=\"{address}{METHOD}\">\
         <input type=\"hidden\" name=\"threeDSMethodData\" value=\"{data}\"></form>\
         <script>document.getElementById(\"method\").submit()</script>"
    )
}

/// Returns the page for a submitted form; `None` if the form is invalid.
///
/// `path` follows the [URL of the issuer's pages](crate::Acquirer::with_issuer_url).
pub fn issuer_page(path: &str, body: &[u8]) -> Option<String> {
    let fields: Vec<_> = form_urlencoded::parse(body).collect();
    let field = |name: &str| fields.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value);
    match path {
        METHOD => method_result_page(field("threeDSMethodData")),
        CHALLENGE => challenge_page(field("creq"), field("TermUrl"), field("threeDSSessionData")),
        _ => None,
    }
}

/// Returns the result that the browser carries to the merchant after `request` (a `creq`), without a page and a
/// cardholder.
pub fn issuer_result(request: &str, is_authenticated: bool) -> Option<String> {
    result(decoded(request)?.get("threeDSServerTransID")?, if is_authenticated { "Y" } else { "N" })
}

fn result(id: &Value, status: &str) -> Option<String> {
    let result = json!({ "threeDSServerTransID": id.as_str()?, "messageType": "CRes", "transStatus": status });
    Some(STANDARD.encode(result.to_string()))
}

/// Page that notifies the merchant of the completed method.
fn method_result_page(data: &str) -> Option<String> {
    let data = decoded(data)?;
    let (id, notify) = (data.get("threeDSServerTransID")?, data.get("threeDSMethodNotificationURL")?.as_str()?);
    let notification = STANDARD.encode(json!({ "threeDSServerTransID": id }).to_string());
    let form = form(notify, &[("threeDSMethodData", &notification)], "")?;
    Some(format!("<!DOCTYPE html><html><body>{form}<script>document.forms[0].submit()</script></body></html>"))
}

/// Page of the challenge, whose buttons carry the result to the merchant.
fn challenge_page(request: &str, back: &str, session: &str) -> Option<String> {
    let request = decoded(request)?;
    let id = request.get("threeDSServerTransID")?;
    let mut page = "<!DOCTYPE html><html><body><h1>Is this you?</h1>".to_owned();
    for (label, status) in BUTTONS {
        let answer = result(id, status)?;
        let button = format!("<button>{label}</button>");
        page.push_str(&form(back, &[("cres", &answer), ("threeDSSessionData", session)], &button)?);
    }
    page.push_str("</body></html>");
    Some(page)
}

fn form(to: &str, fields: &[(&str, &str)], button: &str) -> Option<String> {
    // Only HTTP addresses are valid targets of the form.
    if !to.starts_with("https://") && !to.starts_with("http://") {
        return None;
    }
    let inputs = fields
        .iter()
        .map(|(name, value)| format!("<input type=\"hidden\" name=\"{name}\" value=\"{}\">", escaped(value)));
    let inputs: String = inputs.collect();
    Some(format!("<form method=\"post\" action=\"{}\">{inputs}{button}</form>", escaped(to)))
}

fn decoded(text: &str) -> Option<Value> {
    serde_json::from_slice(&STANDARD.decode(text).ok()?).ok()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}
