//! The payer's browser, for issuers in 3-D Secure.

use actix_web::{
    dev::RequestHead,
    http::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderName, USER_AGENT},
};
use app::Browser;

use crate::proxies::TrustedProxies;

/// Maximum length of a header that issuers accept.
const MAX_HEADER: usize = 2048;
/// Maximum length of a language tag that issuers accept.
const MAX_LANGUAGE: usize = 8;

/// Returns the browser that sent the request.
pub(crate) fn browser(head: &RequestHead, proxies: &TrustedProxies) -> Browser {
    let address = proxies.client(head).or_else(|| Some(head.peer_addr?.ip().to_canonical()));
    let accept = header(head, ACCEPT);
    Browser {
        accept: if accept.is_empty() { "*/*".to_owned() } else { accept },
        user_agent: header(head, USER_AGENT),
        language: language(&header(head, ACCEPT_LANGUAGE)),
        address: address.map(|address| address.to_string()).unwrap_or_default(),
        // Only a script can read the screen.
        screen: None,
    }
}

/// Returns the printable characters of a header, up to the maximum length.
fn header(head: &RequestHead, name: HeaderName) -> String {
    let value = head.headers().get(name).map(|value| value.as_bytes()).unwrap_or_default();
    value.iter().filter(|byte| (0x20..0x7f).contains(*byte)).take(MAX_HEADER).map(|&byte| char::from(byte)).collect()
}

/// Returns the first of the preferred languages, such as `es-DO` of `es-DO,es;q=0.9`; Spanish if there is none.
fn language(preferred: &str) -> String {
    let first = preferred.split([',', ';']).next().unwrap_or_default().trim();
    let is_tag = !first.is_empty()
        && first.len() <= MAX_LANGUAGE
        && first.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_tag { first.to_owned() } else { "es".to_owned() }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn headers_and_address_are_copied_within_bounds() {
        let request = TestRequest::default()
            .peer_addr("203.0.113.9:4711".parse().unwrap())
            .insert_header((ACCEPT, "text/html"))
            .insert_header((USER_AGENT, format!("Mozilla/5.0 \t{}", "x".repeat(3000))))
            .insert_header((ACCEPT_LANGUAGE, "es-DO,es;q=0.9"))
            .to_http_request();

        let sent = browser(request.head(), &TrustedProxies::none());

        assert_eq!((sent.accept.as_str(), sent.language.as_str()), ("text/html", "es-DO"));
        assert_eq!((sent.address.as_str(), sent.user_agent.len()), ("203.0.113.9", MAX_HEADER));
        assert!(sent.user_agent.starts_with("Mozilla/5.0 xx"));
        assert_eq!(sent.screen, None);
    }

    #[test]
    fn only_a_language_tag_is_a_language() {
        assert_eq!(language("en-US;q=0.5"), "en-US");
        for other in ["", "*", "<script>", "a-language-that-is-long"] {
            assert_eq!(language(other), "es", "{other}");
        }
    }
}
