//! Webhook endpoints of a merchant, and the delivery of events.

mod attempt;
mod delivery;
mod disabled_email;
mod log;
mod request;

use chrono::{DateTime, Utc};

pub use attempt::{WebhookAttempt, WebhookResult};
pub use delivery::{Jitter, WebhookDelivery, WebhookDeliveryStatus};
pub use disabled_email::{EndpointDisabledEmail, Outage};
pub use log::LoggedDelivery;
pub use request::{CreateEndpoint, ReplayWebhooks, UpdateEndpoint};

use crate::{EventKind, MerchantId, Mode, WebhookEndpointId, text::BoundedText};

/// A registered endpoint. Its sealed signing secret is stored separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEndpoint {
    /// The identifier.
    pub id: WebhookEndpointId,
    /// The tenant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
    /// Where events are sent.
    pub url: EndpointUrl,
    /// Which events are sent.
    pub enabled_events: EventSelection,
    /// The merchant's own note.
    pub description: Option<BoundedText<1, 256>>,
    /// Why the endpoint is disabled, if it is.
    pub disabled: Option<DisabledReason>,
    /// Time of the registration.
    pub created_at: DateTime<Utc>,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
    /// Number of writes.
    pub version: u32,
}

spelled! {
    /// Reason why an endpoint is disabled.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum DisabledReason {
        /// Disabled by the merchant.
        ByMerchant = "by_merchant",
        /// The endpoint responded with status 410.
        Gone = "gone",
        /// The endpoint accepted no event for days.
        Failing = "failing",
    }
}

impl WebhookEndpoint {
    /// A tenant has at most this many in a mode.
    pub const LIMIT: usize = 16;

    /// The endpoint, switched off.
    #[must_use]
    pub fn disabled_for(&self, reason: DisabledReason, now: DateTime<Utc>) -> Self {
        let version = self.version.saturating_add(1);
        Self { disabled: Some(reason), updated_at: now, version, ..self.clone() }
    }
}

/// URL for events. Each connection checks whether the host resolves to a public address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EndpointUrl(String);

impl EndpointUrl {
    /// The longest address.
    pub const MAX: usize = 2048;

    /// Parses a URL within its bounds. The API parses the parts with a library.
    pub fn parse(text: &str) -> Option<Self> {
        let is_plain = text.len() <= Self::MAX && text.bytes().all(|it| it.is_ascii_graphic());
        (is_plain && (text.starts_with("https://") || text.starts_with("http://"))).then(|| Self(text.to_owned()))
    }

    /// The address as registered.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the host with its port. The path and the user information may contain secrets.
    pub fn host(&self) -> &str {
        let rest = self.0.split_once("://").map_or(self.0.as_str(), |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        authority.rsplit_once('@').map_or(authority, |(_, host)| host)
    }
}

/// Which events an endpoint gets: exact kinds, `payment.*` style prefixes, or `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventSelection(Vec<String>);

impl EventSelection {
    /// At most this many patterns.
    pub const MAX: usize = 100;

    /// Parses the selection.
    ///
    /// # Errors
    ///
    /// The index of the first unknown or repeated pattern; 0 for an empty selection.
    pub fn parse(patterns: &[String]) -> Result<Self, usize> {
        if patterns.is_empty() || patterns.len() > Self::MAX {
            return Err(0);
        }
        for (place, pattern) in patterns.iter().enumerate() {
            let is_repeated = patterns.iter().take(place).any(|it| it == pattern);
            let matches_something = EventKind::ALL.iter().any(|&kind| covers(pattern, kind));
            if is_repeated || !matches_something {
                return Err(place);
            }
        }
        Ok(Self(patterns.to_vec()))
    }

    /// Returns the patterns as received.
    pub fn patterns(&self) -> &[String] {
        &self.0
    }

    /// Whether `kind` is among them.
    pub fn includes(&self, kind: EventKind) -> bool {
        self.0.iter().any(|pattern| covers(pattern, kind))
    }

    /// Every pattern that `kind` is covered by.
    pub fn patterns_of(kind: EventKind) -> [String; 3] {
        let family = kind.as_str().split('.').next().unwrap_or_default();
        ["*".to_owned(), format!("{family}.*"), kind.as_str().to_owned()]
    }
}

fn covers(pattern: &str, kind: EventKind) -> bool {
    EventSelection::patterns_of(kind).iter().any(|it| it == pattern)
}
