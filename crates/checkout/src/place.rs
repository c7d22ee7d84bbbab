use std::{
    future::{Future, pending},
    pin::Pin,
    sync::Arc,
};

use actix_web::dev::RequestHead;
use app::{Browser, Ports};
use domain::PaymentId;

/// Deadline until which a stopping server can still respond.
pub type DrainDeadline = Pin<Box<dyn Future<Output = ()>>>;

/// Everything that the pages are served with.
#[derive(Clone)]
pub struct Checkout {
    /// The outside world.
    pub ports: Ports,
    /// Where the pages are, as payers and issuers reach them.
    pub base_url: PublicBaseUrl,
    /// Who asks.
    pub guard: Arc<dyn RequestGuard>,
}

/// What whoever takes requests in knows of the browsers that they come from.
pub trait RequestGuard: Send + Sync {
    /// The browser that a request comes from.
    fn browser(&self, head: &RequestHead) -> Browser;

    /// Counts a card submission against the payment, or that part of it, and against the sender's address.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next is accepted.
    fn check_card_limit(&self, head: &RequestHead, payment: &PaymentId, part: Option<u8>) -> Result<(), u64>;

    /// Counts a session that an address opens by the link of the payment.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next may be opened.
    fn check_link_session_limit(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64>;

    /// Counts a session that an address starts with the button of the payment's page.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next may be started.
    fn check_button_session_limit(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64>;

    /// Counts an invalid link that an address opens.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next link is answered.
    fn count_invalid_link(&self, head: &RequestHead) -> Result<(), u64>;

    /// Completes shortly before a stopping server cuts its connections. Requests that are unanswered then get a page
    /// that leads back. Never completes on a server that does not stop.
    fn draining(&self) -> DrainDeadline {
        Box::pin(pending())
    }
}

/// The public address of the checkout, which may be a folder of a host and behind a proxy that hides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicBaseUrl {
    base: String,
    /// Where the path begins in it.
    path_at: usize,
}

impl PublicBaseUrl {
    /// The checkout at `base`, as in `https://example.do/pay`, without a slash at its end.
    pub fn new(base: impl Into<String>) -> Self {
        let base = base.into();
        let host_at = base.find("://").map_or(0, |it| it + 3);
        let path_at = base.get(host_at..).and_then(|it| it.find('/')).map_or(base.len(), |it| host_at + it);
        Self { base, path_at }
    }

    /// The path of the page at `path`, as browsers ask for it.
    pub(crate) fn path(&self, path: &str) -> String {
        format!("{}{path}", self.base.get(self.path_at..).unwrap_or_default())
    }

    /// The whole address of the page at `path`.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Scheme and host, as browsers name the origin of a page.
    pub(crate) fn origin(&self) -> &str {
        self.base.get(..self.path_at).unwrap_or_default()
    }

    /// Whether browsers come by TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.base.starts_with("https://")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_a_host_is_part_of_every_path() {
        let place = PublicBaseUrl::new("https://example.do/tienda/pagos");

        assert_eq!(place.path("/p/x"), "/tienda/pagos/p/x");
        assert_eq!(place.address("/c/x"), "https://example.do/tienda/pagos/c/x");
        assert_eq!((place.origin(), place.is_secure()), ("https://example.do", true));
    }

    #[test]
    fn a_host_of_its_own_has_no_folder() {
        let place = PublicBaseUrl::new("http://127.0.0.1:8080");

        assert_eq!(place.path("/p/x"), "/p/x");
        assert_eq!((place.origin(), place.is_secure()), ("http://127.0.0.1:8080", false));
    }
}
