//! Addresses that we are going to call, as far as their text tells. What a name resolves to is judged at each call.

use domain::{text::WebUrl, webhook::EndpointUrl};
use url::{Host, Url};

use crate::read::Value;

/// Where signed events are sent: a public name, over https, at its own port.
///
/// With `allow_private`, this very machine too, over http as well and at any port.
pub(super) fn url(value: Value<'_>, allow_private: bool) -> Option<EndpointUrl> {
    const RULE: &str = "The value must be an https address of a public host name, at port 443, without credentials \
                        and fragment, of at most 2048 characters.";

    value.parsed(|text| endpoint(text, allow_private), RULE)
}

fn endpoint(text: &str, allow_private: bool) -> Option<EndpointUrl> {
    // First the text itself: what two parsers could read differently is no address.
    let url = Url::parse(WebUrl::parse(text)?.as_str()).ok()?;
    let is_bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    let is_allowed = is_public(&url) || (allow_private && is_loopback(&url));
    if !is_bare || !is_allowed {
        return None;
    }
    // Kept as it was sent, unless its name has other letters: those are kept as they are resolved.
    EndpointUrl::parse(text).or_else(|| EndpointUrl::parse(url.as_str()))
}

fn is_public(url: &Url) -> bool {
    // The library leaves out the port that belongs to the scheme.
    let is_https = url.scheme() == "https" && url.port().is_none();
    // It also has read every spelling of a number as the address that it stands for.
    is_https && matches!(url.host(), Some(Host::Domain(name)) if is_public_name(name))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether a name can be one of the public DNS. A dot at the end would hide all but the last of these rules.
fn is_public_name(name: &str) -> bool {
    const LOCAL: [&str; 10] =
        ["corp", "home", "internal", "intranet", "lan", "local", "localdomain", "localhost", "onion", "private"];

    let labels: Vec<&str> = name.split('.').collect();
    let is_of_the_home_network = name.ends_with(".home.arpa");
    let is_local = labels.last().is_none_or(|last| LOCAL.contains(last)) || is_of_the_home_network;
    name.len() <= 253 && labels.len() >= 2 && labels.into_iter().all(is_label) && !is_local
}

/// 1 to 63 letters, digits and hyphens, with no hyphen at either end (RFC 1123, 2.1).
fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}
