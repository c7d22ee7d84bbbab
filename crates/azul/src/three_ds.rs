//! Fields about the payer for 3-D Secure.

use ports::{Authentication, Browser, ReturnUrls, Screen};
use serde::Serialize;

/// Maximum length of a name at AZUL.
const NAME: usize = 96;

/// Additional objects of a purchase.
#[derive(Serialize)]
pub(crate) struct ThreeDs<'a> {
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

/// All values are texts. Without a script the screen is unknown, and `JavaScriptEnabled` is `false`.
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

impl<'a> ThreeDs<'a> {
    pub(crate) fn new(authentication: &'a Authentication, name: Option<&str>, email: Option<&'a str>) -> Self {
        let Authentication { browser, returns: ReturnUrls { method, challenge } } = authentication;
        let returns = Addresses {
            term_url: challenge,
            method_notification_url: method,
            // No preference: the issuer decides whether to challenge.
            requestor_challenge_indicator: "01",
        };
        let name = name.map(|it| it.chars().take(NAME).collect());
        let holder = (name.is_some() || email.is_some()).then_some(Holder { name, email });
        Self { returns, holder, browser: browser.into() }
    }
}

impl<'a> From<&'a Browser> for BrowserInfo<'a> {
    fn from(browser: &'a Browser) -> Self {
        Self {
            accept_header: &browser.accept,
            address: &browser.address,
            language: &browser.language,
            user_agent: &browser.user_agent,
            java_script_enabled: if browser.screen.is_some() { "true" } else { "false" },
            screen: browser.screen.map(ScreenInfo::from),
        }
    }
}

impl From<Screen> for ScreenInfo {
    fn from(screen: Screen) -> Self {
        Self {
            color_depth: screen.color_depth.to_string(),
            screen_width: screen.width.to_string(),
            screen_height: screen.height.to_string(),
            time_zone: screen.minutes_behind_utc.to_string(),
        }
    }
}
