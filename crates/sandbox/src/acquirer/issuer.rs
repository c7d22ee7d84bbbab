//! The pages of a small issuer (an ACS): it looks at the browser, and asks the cardholder with the
//! five buttons that AZUL's own test issuer has.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// Where the browser is looked at.
const METHOD: &str = "/issuer/method";
/// Where the cardholder is asked.
pub(super) const CHALLENGE: &str = "/issuer/challenge";
/// All pages.
pub(super) const PAGES: [&str; 2] = [METHOD, CHALLENGE];

/// What the cardholder can say, and how the issuer puts it.
const BUTTONS: [(&str, &str); 5] =
    [("Yes", "Y"), ("No", "N"), ("Attempt", "A"), ("Rejected", "R"), ("Unavailable", "U")];

/// What a merchant's page is to show, unseen: it lets the issuer look at the browser.
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

/// A page of the simulated issuer, for the form that a browser has sent there; `None` if it makes no sense.
///
/// `path` is what comes after the address that the acquirer was [told](crate::Acquirer::with_issuer_url).
pub fn issuer_page(path: &str, body: &[u8]) -> Option<String> {
    let fields = fields(body);
    let field = |name: &str| fields.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value.as_str());
    match path {
        METHOD => seen(field("threeDSMethodData")),
        CHALLENGE => asked(field("creq"), field("TermUrl"), field("threeDSSessionData")),
        _ => None,
    }
}

/// What the simulated issuer lets the browser bring back after `request` (a `creq`), without a page and a cardholder.
pub fn issuer_result(request: &str, is_authenticated: bool) -> Option<String> {
    result(decoded(request)?.get("threeDSServerTransID")?, if is_authenticated { "Y" } else { "N" })
}

fn result(id: &Value, status: &str) -> Option<String> {
    let result = json!({ "threeDSServerTransID": id.as_str()?, "messageType": "CRes", "transStatus": status });
    Some(STANDARD.encode(result.to_string()))
}

/// Tells the merchant that the browser was looked at.
fn seen(data: &str) -> Option<String> {
    let data = decoded(data)?;
    let (id, notify) = (data.get("threeDSServerTransID")?, data.get("threeDSMethodNotificationURL")?.as_str()?);
    let told = STANDARD.encode(json!({ "threeDSServerTransID": id }).to_string());
    let form = form(notify, &[("threeDSMethodData", &told)], "")?;
    Some(format!("<!DOCTYPE html><html><body>{form}<script>document.forms[0].submit()</script></body></html>"))
}

/// Asks the cardholder, and lets the browser carry the answer to the merchant.
fn asked(request: &str, back: &str, session: &str) -> Option<String> {
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
    // A page that sends the browser anywhere else is no form.
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

/// The fields of a form as browsers send it.
fn fields(body: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(body);
    let pairs = text.split('&').filter_map(|it| it.split_once('='));
    pairs.map(|(name, value)| (plain(name), plain(value))).collect()
}

/// Undoes `%41` and `+`.
fn plain(text: &str) -> String {
    let (mut plain, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                plain.push(byte);
                rest = after.get(2..).unwrap_or_default();
                continue;
            }
            (b'+', _) => plain.push(b' '),
            _ => plain.push(first),
        }
        rest = after;
    }
    String::from_utf8_lossy(&plain).into_owned()
}
