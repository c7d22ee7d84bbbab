use std::sync::Arc;

use actix_web::dev::RequestHead;
use app::Browser;
use checkout::{Checkout, Place, Visitors};
use domain::PaymentId;
use rest::State;

/// The checkout's pages beside the interface, with its knowledge of who asks and its limits.
pub(crate) fn checkout(state: &State) -> Checkout {
    Checkout {
        ports: state.ports.clone(),
        place: Place::new(state.site.checkout_base_url.clone()),
        visitors: Arc::new(Known(state.clone())),
    }
}

struct Known(State);

impl Visitors for Known {
    fn browser(&self, head: &RequestHead) -> Browser {
        self.0.browser(head)
    }

    fn admits_card(&self, head: &RequestHead, payment: &PaymentId, part: Option<u8>) -> Result<(), u64> {
        self.0.admits_card(head, payment, part)
    }

    fn admits_session(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64> {
        self.0.admits_session(head, payment)
    }

    fn admits_started_session(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64> {
        self.0.admits_started_session(head, payment)
    }

    fn note_link(&self, head: &RequestHead) -> Result<(), u64> {
        self.0.note_link(head)
    }
}
