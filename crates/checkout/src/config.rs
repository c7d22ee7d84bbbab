use std::{
    future::{Future, pending},
    pin::Pin,
    sync::Arc,
};

use actix_web::dev::RequestHead;
use app::{Browser, Ports};
use domain::PaymentId;

use crate::base_url::PublicBaseUrl;

/// Deadline until which a stopping server can still respond.
pub type DrainDeadline = Pin<Box<dyn Future<Output = ()>>>;

/// Dependencies of the pages.
#[derive(Clone)]
pub struct Checkout {
    /// Ports of the use cases.
    pub ports: Ports,
    /// Public address of the pages, as payers and issuers reach them.
    pub base_url: PublicBaseUrl,
    /// Rate limits and facts about browsers.
    pub guard: Arc<dyn RequestGuard>,
}

/// Rate limits of the pages, and facts about the browser of a request.
pub trait RequestGuard: Send + Sync {
    /// Returns the facts about the payer's browser that issuers require.
    fn browser(&self, head: &RequestHead) -> Browser;

    /// Counts a card submission against the payment, or that part, and against the client's address.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next submission is accepted.
    fn check_card_limit(&self, head: &RequestHead, payment: &PaymentId, part: Option<u8>) -> Result<(), u64>;

    /// Counts a session that an address opens by the link of the payment.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next session may be opened.
    fn check_link_session_limit(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64>;

    /// Counts a session that an address starts with the button of the payment's page.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next session may be started.
    fn check_button_session_limit(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64>;

    /// Counts an invalid link that an address opens.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next link is accepted.
    fn count_invalid_link(&self, head: &RequestHead) -> Result<(), u64>;

    /// Completes shortly before a stopping server closes its connections. Pending requests then get a page that reloads.
    /// Never completes on a server that does not stop.
    fn draining(&self) -> DrainDeadline {
        Box::pin(pending())
    }
}
