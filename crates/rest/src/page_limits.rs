//! Limits of the pages and interchange beside the API.

use actix_web::dev::RequestHead;
use app::Browser;
use domain::PaymentId;

use crate::{
    browser::browser,
    limits::{RateLimited, SUBMISSION},
    state::State,
};

impl State {
    /// Returns the browser that sent the request.
    pub fn browser(&self, head: &RequestHead) -> Browser {
        browser(head, &self.proxies)
    }

    /// Counts a card submission against the payment or its part, and against the sender's address, as the API does.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next submission is accepted.
    pub fn admits_card(&self, head: &RequestHead, payment: &PaymentId, part: Option<u8>) -> Result<(), u64> {
        let address = self.limits.admit(self.proxies.client(head), SUBMISSION);
        address.and_then(|()| self.limits.admit_submission(payment, part)).map_err(retry_after)
    }

    /// Counts a session that an address opens by the link of the payment.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next session may be opened.
    pub fn admits_session(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64> {
        self.limits.admit_session(self.proxies.client(head), payment).map_err(retry_after)
    }

    /// Counts a session that an address starts with the button of the payment's page.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next session may be started.
    pub fn admits_started_session(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64> {
        self.limits.admit_started_session(self.proxies.client(head), payment).map_err(retry_after)
    }

    /// Counts an invalid link that an address opens.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next link is accepted.
    pub fn note_link(&self, head: &RequestHead) -> Result<(), u64> {
        let address = self.proxies.client(head);
        self.limits.admit_link(address).map_err(retry_after)?;
        self.limits.record_invalid_link(address);
        Ok(())
    }

    /// Counts a request of another taxpayer by the sender's address.
    ///
    /// # Errors
    ///
    /// If the limit is reached: the seconds until the next request is accepted.
    pub fn admits_interchange(&self, head: &RequestHead) -> Result<(), u64> {
        self.limits.admit_interchange(self.proxies.client(head)).map_err(retry_after)
    }

    /// Records a document, seed or token of another taxpayer that failed verification.
    pub fn note_failed_interchange(&self, head: &RequestHead) {
        self.limits.record_failed_interchange(self.proxies.client(head));
    }
}

fn retry_after(refused_by: RateLimited) -> u64 {
    refused_by.retry_after
}
