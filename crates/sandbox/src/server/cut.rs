use super::connection::Allowance;
use crate::spelled::spelled;

spelled! {
    /// Point at which a request is cut.
    pub Cut {
        /// The connection ends before the first byte: no request can have been sent.
        AtConnect = "at_connect",
        /// The connection is established, and ends before the request is read.
        BeforeRequest = "before_request",
        /// The request is read, and the connection ends before the response.
        AfterRequest = "after_request",
        /// The connection ends inside the first line of the response.
        InsideHead = "inside_head",
        /// The connection ends inside the body of the response.
        InsideBody = "inside_answer",
        /// The whole response is sent, and the connection ends without a shutdown message.
        AfterResponse = "after_answer",
        /// No response is sent, and the connection stays open.
        Silence = "silence",
        /// The response is a page about a server error.
        ServerError = "server_error",
    }
}

impl Cut {
    /// Whether the server can have read the request.
    pub const fn has_read(self) -> bool {
        !matches!(self, Self::AtConnect | Self::BeforeRequest)
    }

    /// Returns how much of a response with a body of that length passes; `None` if the response is not cut.
    pub(super) const fn allowance(self, body: usize) -> Option<Allowance> {
        match self {
            Self::AtConnect | Self::BeforeRequest | Self::AfterRequest => Some(Allowance::new(0, 0)),
            Self::InsideHead => Some(Allowance::new(10, 0)),
            Self::InsideBody => Some(Allowance::new(usize::MAX, body / 2)),
            Self::AfterResponse => Some(Allowance::new(usize::MAX, body)),
            Self::Silence | Self::ServerError => None,
        }
    }
}
