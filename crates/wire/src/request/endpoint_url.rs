//! URLs of webhook endpoints. This module checks the text; the sender checks the address that a name resolves to.

use domain::{text::WebUrl, webhook::EndpointUrl};
use serde_json::json;
use url::{Host, Url};

use crate::{read::Value, schema};

/// Description of the field `url`.
pub(super) const ABOUT: &str = "https URL of a public host name at port 443, without credentials and fragment. IP \
                                addresses and local names are refused.";

/// Reads an https URL of a public host name at port 443. `allow_private` also accepts loopback hosts, with http and at
/// any port.
pub(super) fn read(value: Value<'_>, allow_private: bool) -> Option<EndpointUrl> {
    const PATTERN: &str = r"^https://[^/?#:@\\\s][^/?#@\\\s]*([/?][^#\\\s]*)?$";

    let schema = || schema::with(schema::url(), [("maxLength", json!(EndpointUrl::MAX)), ("pattern", json!(PATTERN))]);
    let rule = format_args!(
        "The value must be an https address of a public host name, at port 443, without credentials and fragment, of \
         at most {} characters.",
        EndpointUrl::MAX
    );
    value.parsed(schema, |text| parse(text, allow_private), rule)
}

fn parse(text: &str, allow_private: bool) -> Option<EndpointUrl> {
    // The domain refuses characters that two URL parsers could read differently.
    let url = Url::parse(WebUrl::parse(text)?.as_str()).ok()?;
    let is_bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    let is_allowed = is_public(&url) || (allow_private && is_loopback(&url));
    if !is_bare || !is_allowed {
        return None;
    }
    // A host name with letters beyond ASCII is stored in its ASCII form, the one that is resolved.
    EndpointUrl::parse(text).or_else(|| EndpointUrl::parse(url.as_str()))
}

fn is_public(url: &Url) -> bool {
    // `Url::port` omits the default port of the scheme.
    let is_https = url.scheme() == "https" && url.port().is_none();
    // `Url` parses every spelling of a number, such as 0x7f.1, as an IP address.
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

/// Whether `name` can be a name of the public DNS. A trailing dot is refused.
fn is_public_name(name: &str) -> bool {
    const LOCAL: [&str; 10] =
        ["corp", "home", "internal", "intranet", "lan", "local", "localdomain", "localhost", "onion", "private"];

    let labels: Vec<&str> = name.split('.').collect();
    let is_home_network = name.ends_with(".home.arpa");
    let is_local = labels.last().is_none_or(|last| LOCAL.contains(last)) || is_home_network;
    name.len() <= 253 && labels.len() >= 2 && labels.into_iter().all(is_label) && !is_local
}

/// 1 to 63 letters, digits and hyphens, with no hyphen at either end (RFC 1123, 2.1).
fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}
