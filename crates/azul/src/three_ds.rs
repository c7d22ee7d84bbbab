//! Fields about the payer for 3-D Secure.

use ports::{Authentication, Browser, ReturnUrls};

use crate::texts::Texts;

/// Maximum length of a name at AZUL.
const NAME: usize = 96;

/// Returns the additional objects of a purchase.
pub(crate) fn objects<'a>(
    authentication: &'a Authentication,
    name: Option<&str>,
    email: Option<&'a str>,
) -> Vec<(&'static str, Texts<'a>)> {
    let Authentication { browser, returns: ReturnUrls { method, challenge } } = authentication;
    let returns = Texts::default()
        .and("TermUrl", challenge)
        .and("MethodNotificationUrl", method)
        // No preference: the issuer decides whether to challenge.
        .and("RequestorChallengeIndicator", "01");
    let name = name.map(|it| it.chars().take(NAME).collect::<String>());
    let holder = Texts::default().and_if("Name", name).and_if("Email", email);
    let mut objects = vec![("ThreeDSAuth", returns), ("BrowserInfo", describe(browser))];
    if !holder.is_empty() {
        objects.push(("CardHolderInfo", holder));
    }
    objects
}

/// Describes the browser. Without a script the screen is unknown, and `JavaScriptEnabled` is `false`.
fn describe(browser: &Browser) -> Texts<'_> {
    let Browser { accept, address, language, user_agent, screen } = browser;
    let is_script_enabled = if screen.is_some() { "true" } else { "false" };
    Texts::default()
        .and("AcceptHeader", accept)
        .and("IPAddress", address)
        .and("Language", language)
        .and("UserAgent", user_agent)
        .and("JavaScriptEnabled", is_script_enabled)
        .and_if("ColorDepth", screen.map(|it| it.color_depth.to_string()))
        .and_if("ScreenWidth", screen.map(|it| it.width.to_string()))
        .and_if("ScreenHeight", screen.map(|it| it.height.to_string()))
        .and_if("TimeZone", screen.map(|it| it.minutes_behind_utc.to_string()))
}
