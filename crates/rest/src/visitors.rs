//! What pages beside the interface need to know of whoever asks for them.

use actix_web::dev::RequestHead;
use app::Browser;
use domain::PaymentId;

use crate::{State, browser::browser, limits::SUBMISSION};

impl State {
    /// The browser that sent a request with that head.
    pub fn browser(&self, head: &RequestHead) -> Browser {
        browser(head, &self.proxies)
    }

    /// Counts a card submission against the payment, or that part of it, and against the sender's address, as the API
    /// does.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next is accepted.
    pub fn admits_card(&self, head: &RequestHead, payment: &PaymentId, part: Option<u8>) -> Result<(), u64> {
        let address = self.limits.admit(self.proxies.client(head), SUBMISSION);
        address.and_then(|()| self.limits.admit_submission(payment, part)).map_err(|late| late.seconds)
    }

    /// Counts a session that an address opens by the link of the payment.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next may be opened.
    pub fn admits_session(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64> {
        self.limits.admit_session(self.proxies.client(head), payment).map_err(|late| late.seconds)
    }

    /// Counts a session that an address starts with the button of the payment's page.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next may be started.
    pub fn admits_started_session(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64> {
        self.limits.admit_started_session(self.proxies.client(head), payment).map_err(|late| late.seconds)
    }

    /// Counts an invalid link that an address opens.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next link is answered.
    pub fn note_link(&self, head: &RequestHead) -> Result<(), u64> {
        let address = self.proxies.client(head);
        self.limits.admit_link(address).map_err(|late| late.seconds)?;
        self.limits.note_link(address);
        Ok(())
    }

    /// Whether the sender's address may hand something over beside the interface, or else in how many seconds it may.
    ///
    /// # Errors
    ///
    /// It may not.
    pub fn admits_interchange(&self, head: &RequestHead) -> Result<(), u64> {
        self.limits.admit_exchange(self.proxies.client(head)).map_err(|late| late.seconds)
    }

    /// Remembers that the sender's address handed over what nobody vouches for.
    pub fn note_failed_interchange(&self, head: &RequestHead) {
        self.limits.note_failed_interchange(self.proxies.client(head));
    }
}
