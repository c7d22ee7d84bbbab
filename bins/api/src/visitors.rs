use std::{sync::Arc, time::Duration};

use actix_web::dev::RequestHead;
use app::Browser;
use checkout::{Checkout, DrainDeadline, PublicBaseUrl, RequestGuard};
use domain::PaymentId;
use rest::{DRAIN, State};
use tokio::time::sleep;

use crate::stop::Stop;

/// Routes of the checkout, with the client addresses and limits of the API.
pub(crate) fn checkout(state: &State, stop: &Stop) -> Checkout {
    Checkout {
        ports: state.ports.clone(),
        base_url: PublicBaseUrl::new(state.urls.checkout_base_url.clone()),
        guard: Arc::new(Known { state: state.clone(), stop: stop.clone() }),
    }
}

struct Known {
    state: State,
    stop: Stop,
}

/// Time before the end of the drain in which a response can still be written.
const MARGIN: Duration = Duration::from_secs(5);

impl RequestGuard for Known {
    fn browser(&self, head: &RequestHead) -> Browser {
        self.state.browser(head)
    }

    fn check_card_limit(&self, head: &RequestHead, payment: &PaymentId, part: Option<u8>) -> Result<(), u64> {
        self.state.admits_card(head, payment, part)
    }

    fn check_link_session_limit(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64> {
        self.state.admits_session(head, payment)
    }

    fn check_button_session_limit(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64> {
        self.state.admits_started_session(head, payment)
    }

    fn count_invalid_link(&self, head: &RequestHead) -> Result<(), u64> {
        self.state.note_link(head)
    }

    fn draining(&self) -> DrainDeadline {
        let stop = self.stop.clone();
        Box::pin(async move {
            stop.requested().await;
            sleep(DRAIN.saturating_sub(MARGIN)).await;
        })
    }
}
