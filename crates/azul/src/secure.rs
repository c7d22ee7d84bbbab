//! What AZUL wants to know of a payer for 3-D Secure.

use ports::{Authentication, Browser, ReturnUrls, Screen};
use serde::Serialize;

/// AZUL takes no longer names.
const NAME: usize = 96;

/// The nodes that a purchase has beside its own.
#[derive(Serialize)]
pub(crate) struct Secure<'a> {
    #[serde(rename = "ThreeDSAuth")]
    returns: Addresses<'a>,
    #[serde(rename = "CardHolderInfo", skip_serializing_if = "Option::is_none")]
    holder: Option<Holder<'a>>,
    #[serde(rename = "BrowserInfo")]
    browser: BrowserInfo<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Addresses<'a> {
    term_url: &'a str,
    method_notification_url: &'a str,
    requestor_challenge_indicator: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Holder<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
}

/// Texts, as everywhere. What only a script finds out is left out where none has run, and `JavaScriptEnabled` says so.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct BrowserInfo<'a> {
    accept_header: &'a str,
    #[serde(rename = "IPAddress")]
    address: &'a str,
    language: &'a str,
    user_agent: &'a str,
    java_script_enabled: &'a str,
    #[serde(flatten)]
    screen: Option<ScreenInfo>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ScreenInfo {
    color_depth: String,
    screen_width: String,
    screen_height: String,
    time_zone: String,
}

impl<'a> Secure<'a> {
    pub(crate) fn of(of: &'a Authentication, name: Option<&str>, email: Option<&'a str>) -> Self {
        let Authentication { browser, returns: ReturnUrls { looked, answered } } = of;
        let returns = Addresses {
            term_url: answered,
            method_notification_url: looked,
            // No preference: whether to challenge is the issuer's to say.
            requestor_challenge_indicator: "01",
        };
        let name = name.map(|it| it.chars().take(NAME).collect());
        let holder = (name.is_some() || email.is_some()).then_some(Holder { name, email });
        Self { returns, holder, browser: browser.into() }
    }
}

impl<'a> From<&'a Browser> for BrowserInfo<'a> {
    fn from(it: &'a Browser) -> Self {
        Self {
            accept_header: &it.accept,
            address: &it.address,
            language: &it.language,
            user_agent: &it.user_agent,
            java_script_enabled: if it.screen.is_some() { "true" } else { "false" },
            screen: it.screen.map(ScreenInfo::from),
        }
    }
}

impl From<Screen> for ScreenInfo {
    fn from(it: Screen) -> Self {
        Self {
            color_depth: it.color_depth.to_string(),
            screen_width: it.width.to_string(),
            screen_height: it.height.to_string(),
            time_zone: it.minutes_behind_utc.to_string(),
        }
    }
}
