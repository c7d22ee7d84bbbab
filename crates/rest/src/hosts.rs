use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use actix_web::{
    dev::RequestHead,
    http::{
        Version,
        header::{HOST, HeaderValue},
    },
};
use domain::{InvalidRequest, Refusal};

/// Whether the request is meant for this server. A proxy in front of it and we must read the same
/// name, or one could be asked for what the other guards.
///
/// What looks after the process calls it by its address, which no page from elsewhere can borrow as it can a name:
/// `is_for_operators`.
pub(crate) fn check(head: &RequestHead, allowed: &[String], is_for_operators: bool) -> Result<(), Refusal> {
    let refused = || Refusal::at(InvalidRequest::ParameterInvalid, "host");
    let mut hosts = head.headers().get_all(HOST).map(HeaderValue::to_str);
    let host = match (hosts.next(), hosts.next()) {
        (Some(Ok(host)), None) if is_host(host) => host,
        // Before HTTP/1.1 the header did not exist.
        (None, None) if head.version < Version::HTTP_11 => return Ok(()),
        _ => return Err(refused()),
    };
    // The target names a host of its own where it is absolute.
    let is_ours = |name: &str| {
        let is_named = allowed.is_empty() || allowed.iter().any(|it| is_same(it, name));
        is_named || (is_for_operators && is_address(name))
    };
    let target = head.uri.authority().map(|it| it.as_str());
    if is_ours(host) && target.is_none_or(is_ours) { Ok(()) } else { Err(refused()) }
}

/// A name or an address, with or without a port (RFC 9110, 7.2). Whatever else stands there is read
/// by one as this name and by another as that.
fn is_host(text: &str) -> bool {
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port),
        _ => (text, ""),
    };
    let address = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let is_name = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._".contains(&it)),
    };
    is_name && port.len() <= 5 && port.bytes().all(|it| it.is_ascii_digit())
}

/// An address, with or without a port.
fn is_address(text: &str) -> bool {
    text.parse::<SocketAddr>().is_ok() || text.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
}

/// A name that is allowed without a port is allowed on any.
fn is_same(allowed: &str, name: &str) -> bool {
    let without_port = match name.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|it| it.is_ascii_digit()) => host,
        _ => name,
    };
    allowed.eq_ignore_ascii_case(name) || allowed.eq_ignore_ascii_case(without_port)
}
