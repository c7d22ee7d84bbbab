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

    /// Takes a card's submission from what its payment and its sender's address have left, as of one by the interface;
    /// whether there was enough.
    pub fn admits_card(&self, head: &RequestHead, payment: &PaymentId) -> bool {
        let address = self.proxies.client(head);
        self.limits.admit(address, SUBMISSION).and_then(|()| self.limits.admit_submission(payment)).is_ok()
    }

    /// Whether the sender's address may open another link; else the seconds until it may. One that tried too many which
    /// open nothing waits, as after wrong credentials.
    ///
    /// # Errors
    ///
    /// It may not.
    pub fn admits_link(&self, head: &RequestHead) -> Result<(), u64> {
        self.limits.admit_link(self.proxies.client(head)).map_err(|late| late.seconds)
    }

    /// Whether the sender's address may hand something over beside the interface, or else in how many seconds it may.
    ///
    /// # Errors
    ///
    /// It may not.
    pub fn admits_exchange(&self, head: &RequestHead) -> Result<(), u64> {
        self.limits.admit_exchange(self.proxies.client(head)).map_err(|late| late.seconds)
    }

    /// Remembers that the sender's address handed over what nobody vouches for.
    pub fn note_exchange(&self, head: &RequestHead) {
        self.limits.note_exchange(self.proxies.client(head));
    }

    /// Remembers that the sender's address tried a link that opens nothing.
    pub fn note_link(&self, head: &RequestHead) {
        self.limits.note_link(self.proxies.client(head));
    }
}
