//! `POST /payments/{paymentId}/split/releases`.

use domain::Refusal;

use crate::{json::Json, read};

/// Why a split is given up, in the organizer's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named by the contract")]
pub enum ReleaseReason {
    RequestedByOrganizer,
    Other,
}

impl ReleaseReason {
    /// Every reason, in published order.
    pub const ALL: [Self; 2] = [Self::RequestedByOrganizer, Self::Other];

    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RequestedByOrganizer => "requested_by_organizer",
            Self::Other => "other",
        }
    }

    /// The reason published as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

/// The reason in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<ReleaseReason, Refusal> {
    read::request(body, |it| it.required("reason", |value| value.one_of(ReleaseReason::from_code)))
}
