//! Who is asking, where others stand between.

use std::net::{IpAddr, SocketAddr};

use actix_web::{
    dev::RequestHead,
    http::header::{FORWARDED, HeaderMap, HeaderName, X_FORWARDED_FOR},
};
use ipnet::IpNet;

/// The proxies in front of the server, whose word on where a request comes from is taken.
#[derive(Clone, Debug)]
pub struct TrustedProxies(Known);

#[derive(Clone, Debug)]
enum Known {
    /// Nobody said whether there are any.
    Nothing,
    /// There are these, and no others.
    These(Vec<IpNet>),
}

impl TrustedProxies {
    /// Nobody said whether there are any. An address of this machine or of a private network may
    /// be one's: to count it would lock everybody out for what one of them did.
    pub const fn unknown() -> Self {
        Self(Known::Nothing)
    }

    /// There is none: each address is that of whoever asks.
    pub const fn none() -> Self {
        Self(Known::These(Vec::new()))
    }

    /// The proxies have addresses in `networks`, and nobody else has.
    pub const fn of(networks: Vec<IpNet>) -> Self {
        Self(Known::These(networks))
    }

    /// The address to count a request by, if it is known whose it is.
    pub(crate) fn client(&self, head: &RequestHead) -> Option<IpAddr> {
        let peer = head.peer_addr?.ip().to_canonical();
        match &self.0 {
            Known::Nothing => (!is_near(peer)).then_some(peer),
            Known::These(proxies) => behind(proxies, peer, head.headers()),
        }
    }

    /// Returns the address to count a connection by; `None` for a proxy or this machine, which many clients may share.
    pub(crate) fn peer(&self, peer: SocketAddr) -> Option<IpAddr> {
        let peer = peer.ip().to_canonical();
        let is_shared = match &self.0 {
            Known::Nothing => is_near(peer),
            Known::These(proxies) => is_in(proxies, &peer),
        };
        (!is_shared && !peer.is_loopback()).then_some(peer)
    }

    /// Whether the request comes from this machine or from a private network, all the way.
    pub(crate) fn is_from_near(&self, head: &RequestHead) -> bool {
        let Some(peer) = head.peer_addr.map(|it| it.ip().to_canonical()) else { return false };
        // A request that somebody passed on is as far as where it began, and where nobody is
        // trusted that may be anywhere.
        let is_passed_on = [FORWARDED, X_FORWARDED_FOR].iter().any(|it| head.headers().contains_key(it));
        match &self.0 {
            Known::These(proxies) if is_passed_on => {
                is_in(proxies, &peer) && behind(proxies, peer, head.headers()).is_some_and(is_near)
            }
            _ => !is_passed_on && is_near(peer),
        }
    }
}

/// The last address before our proxies: each of them adds whom it hears to the end, and what
/// stands before that is as true as whoever sent it.
fn behind(proxies: &[IpNet], peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
    if !is_in(proxies, &peer) {
        return Some(peer);
    }
    // A proxy that writes one of them passes the other on as it came: the usual one goes first.
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
    networks.iter().any(|it| it.contains(address))
}

/// Who passed the request on, in their order.
fn nodes(headers: &HeaderMap, name: &HeaderName) -> impl DoubleEndedIterator<Item = String> {
    let values: Vec<&str> = headers.get_all(name).map(|it| it.to_str().unwrap_or_default()).collect();
    let is_usual = *name == X_FORWARDED_FOR;
    let nodes: Vec<String> = values
        .into_iter()
        .flat_map(|it| it.split(','))
        .map(|it| if is_usual { it.trim() } else { forwarded_for(it) }.to_owned())
        .collect();
    nodes.into_iter()
}

/// The node in one element of `Forwarded` (RFC 7239), without its quotes.
fn forwarded_for(element: &str) -> &str {
    let pairs = element.split(';').filter_map(|it| it.trim().split_once('='));
    let node = pairs.filter(|(name, _)| name.trim().eq_ignore_ascii_case("for")).map(|(_, node)| node).next();
    node.unwrap_or_default().trim().trim_matches('"')
}

/// The address of a node, which may have a port, and brackets around IPv6.
fn address(node: &str) -> Option<IpAddr> {
    let bare = node.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(node);
    let address = bare.parse().or_else(|_| node.parse().map(|it: SocketAddr| it.ip()));
    address.ok().map(|it: IpAddr| it.to_canonical())
}

fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => it.is_loopback() || it.is_private(),
        IpAddr::V6(it) => it.is_loopback() || it.is_unique_local(),
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

    /// What a request from `peer` with these headers counts as.
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
    fn the_client_is_the_last_whom_no_proxy_of_ours_is() {
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
    fn what_a_client_adds_by_itself_does_not_count() {
        check(&[("forwarded", "for=1.1.1.1"), ("x-forwarded-for", "203.0.113.9")], "203.0.113.9");
        check(&[("forwarded", "for=1.1.1.1;host=\"a, for=203.0.113.9")], "203.0.113.9");
        check(&[("x-real-ip", "1.1.1.1")], "none");
    }

    #[test]
    fn where_nobody_can_say_who_it_is_nobody_is_counted() {
        check(&[], "none");
        check(&[("x-forwarded-for", "10.2.3.4")], "none");
        check(&[("x-forwarded-for", "1.1.1.1, unknown")], "none");
        check(&[("forwarded", "for=1.1.1.1, for=_hidden")], "none");
        check(&[("forwarded", "for=1.1.1.1, proto=https")], "none");
    }

    #[test]
    fn a_stranger_says_what_it_likes() {
        let spoofed = [("x-forwarded-for", "127.0.0.1"), ("forwarded", "for=10.0.0.1")];
        let stranger = "203.0.113.9:1";

        for proxies in [TrustedProxies::unknown(), TrustedProxies::none(), ours()] {
            assert_eq!(client(&proxies, stranger, &spoofed), Some("203.0.113.9".parse().unwrap()), "{proxies:?}");
        }
    }

    #[test]
    fn a_near_address_is_counted_once_it_is_said_who_is_a_proxy() {
        for near in ["127.0.0.1:1", "192.168.1.1:1", "[::1]:1", "[fd00::1]:1", "[::ffff:10.1.1.1]:1"] {
            assert_eq!(client(&TrustedProxies::unknown(), near, &[]), None, "{near}");
            assert!(client(&TrustedProxies::none(), near, &[]).is_some(), "{near}");
        }
    }

    #[test]
    fn near_is_who_came_from_near_all_the_way() {
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
