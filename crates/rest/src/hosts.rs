use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use actix_web::{
    dev::RequestHead,
    http::{
        Version,
        header::{HOST, HeaderValue},
    },
};
use domain::{InvalidRequest, Refusal};

/// Checks that the request names this server. A proxy and this server must read the same host, or a request could pass
/// the proxy's rules for one host and be served for another.
///
/// Operators may also use an IP address: a page of another urls can make a browser send a host name, but not an address.
///
/// # Errors
///
/// `parameter_invalid` for `host`.
pub(crate) fn check(head: &RequestHead, allowed: &[String], is_for_operators: bool) -> Result<(), Refusal> {
    let refused = || Refusal::at(InvalidRequest::ParameterInvalid, "host");
    let mut hosts = head.headers().get_all(HOST).map(HeaderValue::to_str);
    let host = match (hosts.next(), hosts.next()) {
        (Some(Ok(host)), None) if is_host(host) => host,
        // HTTP/1.0 has no such header.
        (None, None) if head.version < Version::HTTP_11 => return Ok(()),
        _ => return Err(refused()),
    };
    // An absolute target has a host of its own.
    let is_ours = |name: &str| {
        let is_named = allowed.is_empty() || allowed.iter().any(|host| is_same(host, name));
        is_named || (is_for_operators && is_address(name))
    };
    let target = head.uri.authority().map(|authority| authority.as_str());
    if is_ours(host) && target.is_none_or(is_ours) { Ok(()) } else { Err(refused()) }
}

/// Whether the text is a name or an address, with or without a port (RFC 9110, 7.2). Servers read other text in
/// different ways.
fn is_host(text: &str) -> bool {
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port),
        _ => (text, ""),
    };
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_name = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)),
    };
    is_name && port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the text is an address, with or without a port.
fn is_address(text: &str) -> bool {
    text.parse::<SocketAddr>().is_ok() || text.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
}

/// Whether the names are equal. A name that is allowed without a port is allowed with any port.
fn is_same(allowed: &str, name: &str) -> bool {
    let without_port = match name.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => name,
    };
    allowed.eq_ignore_ascii_case(name) || allowed.eq_ignore_ascii_case(without_port)
}
