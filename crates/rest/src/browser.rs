//! What the head of a request tells of the browser that sent it: as much as issuers want to know of a payer.

use actix_web::{
    dev::RequestHead,
    http::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderName, USER_AGENT},
};
use app::Browser;

use crate::proxies::TrustedProxies;

/// Issuers take no more of any header.
const LONGEST: usize = 2048;
/// Nor of a language, as in `es-DO`.
const LANGUAGE: usize = 8;

/// The browser that sent a request with that head.
pub(crate) fn browser(head: &RequestHead, proxies: &TrustedProxies) -> Browser {
    let address = proxies.client(head).or_else(|| Some(head.peer_addr?.ip().to_canonical()));
    let accept = header(head, ACCEPT);
    Browser {
        accept: if accept.is_empty() { "*/*".to_owned() } else { accept },
        user_agent: header(head, USER_AGENT),
        language: language(&header(head, ACCEPT_LANGUAGE)),
        address: address.map(|it| it.to_string()).unwrap_or_default(),
        // What only a script can tell, no header does.
        screen: None,
    }
}

/// As much of a header as can be printed.
fn header(head: &RequestHead, name: HeaderName) -> String {
    let value = head.headers().get(name).map(|it| it.as_bytes()).unwrap_or_default();
    value.iter().filter(|it| (0x20..0x7f).contains(*it)).take(LONGEST).map(|&it| char::from(it)).collect()
}

/// The first of the languages that a browser prefers, as in `es-DO,es;q=0.9`; Spanish if it says nothing of that kind.
fn language(preferred: &str) -> String {
    let first = preferred.split([',', ';']).next().unwrap_or_default().trim();
    let is_tag = !first.is_empty()
        && first.len() <= LANGUAGE
        && first.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    if is_tag { first.to_owned() } else { "es".to_owned() }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn what_a_browser_tells_is_told_on() {
        let request = TestRequest::default()
            .peer_addr("203.0.113.9:4711".parse().unwrap())
            .insert_header((ACCEPT, "text/html"))
            .insert_header((USER_AGENT, format!("Mozilla/5.0 \t{}", "x".repeat(3000))))
            .insert_header((ACCEPT_LANGUAGE, "es-DO,es;q=0.9"))
            .to_http_request();

        let told = browser(request.head(), &TrustedProxies::none());

        assert_eq!((told.accept.as_str(), told.language.as_str()), ("text/html", "es-DO"));
        assert_eq!((told.address.as_str(), told.user_agent.len()), ("203.0.113.9", LONGEST));
        assert!(told.user_agent.starts_with("Mozilla/5.0 xx"));
        assert_eq!(told.screen, None);
    }

    #[test]
    fn a_language_is_a_language() {
        assert_eq!(language("en-US;q=0.5"), "en-US");
        for nothing in ["", "*", "<script>", "a-language-that-is-long"] {
            assert_eq!(language(nothing), "es", "{nothing}");
        }
    }
}
