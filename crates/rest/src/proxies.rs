//! Addresses of clients behind proxies.

use std::net::{IpAddr, SocketAddr};

use actix_web::{
    dev::RequestHead,
    http::header::{FORWARDED, HeaderMap, HeaderName, X_FORWARDED_FOR},
};
use ipnet::IpNet;

/// Proxies in front of the server with trusted forwarding headers: the networks of all proxies; `None` if not
/// configured.
#[derive(Clone, Debug)]
pub struct TrustedProxies(Option<Vec<IpNet>>);

impl TrustedProxies {
    /// TrustedProxies are not configured. An address of this machine or of a private network may be a proxy: counting by such
    /// an address would block all clients for the failures of one.
    pub const fn unknown() -> Self {
        Self(None)
    }

    /// There are no proxies: each address is that of a client.
    pub const fn none() -> Self {
        Self::of(Vec::new())
    }

    /// All proxies, and no clients, have addresses in `networks`.
    pub const fn of(networks: Vec<IpNet>) -> Self {
        Self(Some(networks))
    }

    /// Returns the address to count a request by; `None` if the client's address is unknown.
    pub(crate) fn client(&self, head: &RequestHead) -> Option<IpAddr> {
        let peer = head.peer_addr?.ip().to_canonical();
        match &self.0 {
            None => (!is_near(peer)).then_some(peer),
            Some(proxies) => behind(proxies, peer, head.headers()),
        }
    }

    /// Returns the address to count a connection by; `None` for a proxy or this machine, which many clients may share.
    pub(crate) fn peer(&self, peer: SocketAddr) -> Option<IpAddr> {
        let peer = peer.ip().to_canonical();
        let is_shared = match &self.0 {
            None => is_near(peer),
            Some(proxies) => is_in(proxies, &peer),
        };
        (!is_shared && !peer.is_loopback()).then_some(peer)
    }

    /// Whether the request originates from this machine or a private network.
    pub(crate) fn is_from_near(&self, head: &RequestHead) -> bool {
        let Some(peer) = head.peer_addr.map(|it| it.ip().to_canonical()) else { return false };
        // A forwarded request counts as near only if trusted proxies report a near origin.
        let is_forwarded = [FORWARDED, X_FORWARDED_FOR].iter().any(|name| head.headers().contains_key(name));
        match &self.0 {
            Some(proxies) if is_forwarded => {
                is_in(proxies, &peer) && behind(proxies, peer, head.headers()).is_some_and(is_near)
            }
            _ => !is_forwarded && is_near(peer),
        }
    }
}

/// Returns the last address before our proxies. Each proxy appends the address of the peer; entries before that may be
/// forged.
fn behind(proxies: &[IpNet], peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
    if !is_in(proxies, &peer) {
        return Some(peer);
    }
    // A proxy that writes one of the headers forwards the other unchanged: the common one is preferred.
    let name = if headers.contains_key(X_FORWARDED_FOR) { X_FORWARDED_FOR } else { FORWARDED };
    for node in nodes(headers, &name).rev() {
        let address = address(&node)?;
        if !is_in(proxies, &address) {
            return Some(address);
        }
    }
    None
}

fn is_in(networks: &[IpNet], address: &IpAddr) -> bool {
    networks.iter().any(|network| network.contains(address))
}

/// Returns the nodes that forwarded the request, in order.
fn nodes(headers: &HeaderMap, name: &HeaderName) -> impl DoubleEndedIterator<Item = String> {
    let values: Vec<&str> = headers.get_all(name).map(|value| value.to_str().unwrap_or_default()).collect();
    let is_common = *name == X_FORWARDED_FOR;
    let nodes: Vec<String> = values
        .into_iter()
        .flat_map(|value| value.split(','))
        .map(|node| if is_common { node.trim() } else { forwarded_for(node) }.to_owned())
        .collect();
    nodes.into_iter()
}

/// Returns the node of one element of `Forwarded` (RFC 7239), without quotes.
fn forwarded_for(element: &str) -> &str {
    let pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let node = pairs.filter(|(name, _)| name.trim().eq_ignore_ascii_case("for")).map(|(_, node)| node).next();
    node.unwrap_or_default().trim().trim_matches('"')
}

/// Returns the address of a node, which may have a port, and brackets around IPv6.
fn address(node: &str) -> Option<IpAddr> {
    let bare = node.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(node);
    let address = bare.parse().or_else(|_| node.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_private(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    const PROXY: &str = "10.0.0.1:4000";

    fn ours() -> TrustedProxies {
        TrustedProxies::of(vec!["10.0.0.0/8".parse().unwrap(), "2001:db8:aaaa::/48".parse().unwrap()])
    }

    /// Returns the address that a request from `peer` with these headers is counted by.
    fn client(proxies: &TrustedProxies, peer: &str, headers: &[(&'static str, &str)]) -> Option<IpAddr> {
        let request = TestRequest::default().peer_addr(peer.parse().unwrap());
        let request = headers.iter().fold(request, |request, header| request.append_header(*header));
        proxies.client(request.to_http_request().head())
    }

    #[track_caller]
    fn check(headers: &[(&'static str, &str)], expected: &str) {
        let found = client(&ours(), PROXY, headers).map(|it| it.to_string());
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "{headers:?}");
    }

    #[test]
    fn the_client_is_the_last_address_that_is_no_trusted_proxy() {
        check(&[("x-forwarded-for", "203.0.113.9")], "203.0.113.9");
        check(&[("x-forwarded-for", "127.0.0.1, 198.51.100.7, 203.0.113.9 , 10.2.3.4")], "203.0.113.9");
        check(&[("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "203.0.113.9,10.2.3.4")], "203.0.113.9");
        check(&[("x-forwarded-for", "203.0.113.9:5123")], "203.0.113.9");
        check(&[("x-forwarded-for", "2001:db8::7, [2001:db8:aaaa::1]:80")], "2001:db8::7");
        check(&[("x-forwarded-for", "::ffff:203.0.113.9")], "203.0.113.9");
        check(&[("forwarded", "for=1.1.1.1, For=\"[2001:db8::7]:4711\";proto=https, for=10.9.9.9")], "2001:db8::7");
        check(&[("forwarded", "by=10.0.0.1;for=203.0.113.9")], "203.0.113.9");
    }

    #[test]
    fn headers_that_a_client_forges_are_ignored() {
        check(&[("forwarded", "for=1.1.1.1"), ("x-forwarded-for", "203.0.113.9")], "203.0.113.9");
        check(&[("forwarded", "for=1.1.1.1;host=\"a, for=203.0.113.9")], "203.0.113.9");
        check(&[("x-real-ip", "1.1.1.1")], "none");
    }

    #[test]
    fn a_request_of_unknown_origin_is_not_counted() {
        check(&[], "none");
        check(&[("x-forwarded-for", "10.2.3.4")], "none");
        check(&[("x-forwarded-for", "1.1.1.1, unknown")], "none");
        check(&[("forwarded", "for=1.1.1.1, for=_hidden")], "none");
        check(&[("forwarded", "for=1.1.1.1, proto=https")], "none");
    }

    #[test]
    fn forwarding_headers_of_an_untrusted_peer_are_ignored() {
        let spoofed = [("x-forwarded-for", "127.0.0.1"), ("forwarded", "for=10.0.0.1")];
        let untrusted = "203.0.113.9:1";

        for proxies in [TrustedProxies::unknown(), TrustedProxies::none(), ours()] {
            assert_eq!(client(&proxies, untrusted, &spoofed), Some("203.0.113.9".parse().unwrap()), "{proxies:?}");
        }
    }

    #[test]
    fn private_addresses_are_counted_if_proxies_are_configured() {
        for near in ["127.0.0.1:1", "192.168.1.1:1", "[::1]:1", "[fd00::1]:1", "[::ffff:10.1.1.1]:1"] {
            assert_eq!(client(&TrustedProxies::unknown(), near, &[]), None, "{near}");
            assert!(client(&TrustedProxies::none(), near, &[]).is_some(), "{near}");
        }
    }

    #[test]
    fn a_request_is_near_if_its_origin_is_near() {
        let is_near = |proxies: &TrustedProxies, peer: &str, header: Option<&str>| {
            let request = TestRequest::default().peer_addr(peer.parse().unwrap());
            let request = header.into_iter().fold(request, |it, value| it.append_header((X_FORWARDED_FOR, value)));
            proxies.is_from_near(request.to_http_request().head())
        };

        for proxies in [TrustedProxies::unknown(), TrustedProxies::none(), ours()] {
            assert!(is_near(&proxies, "127.0.0.1:1", None));
            assert!(is_near(&proxies, PROXY, None));
            assert!(!is_near(&proxies, "203.0.113.9:1", None));
            assert!(!is_near(&proxies, "203.0.113.9:1", Some("127.0.0.1")));
            assert!(!is_near(&proxies, PROXY, Some("203.0.113.9")));
        }
        assert!(is_near(&ours(), PROXY, Some("192.168.1.7")));
        assert!(!is_near(&TrustedProxies::unknown(), PROXY, Some("192.168.1.7")));
        assert!(!TrustedProxies::none().is_from_near(TestRequest::default().to_http_request().head()));
    }
}
