use chrono::{DateTime, TimeDelta, Utc};

use super::{WebhookDelivery, WebhookEndpoint, WebhookResult};
use crate::{
    EventId,
    mailing::Mailing,
    merchant::Profile,
    text::{BoundedText, Email},
};

/// Failures for which an endpoint was disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Time of the first failure in a row.
    pub since: DateTime<Utc>,
    /// Result of the last attempt.
    pub last: WebhookResult,
}

/// E-mail to a merchant about an endpoint that was disabled by the service.
///
/// The whole content is stored, so that each attempt sends the same e-mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointDisabledEmail {
    /// The event for the merchant's other endpoints; also the key of the e-mail.
    pub event: EventId,
    /// The endpoint when it was disabled.
    pub endpoint: WebhookEndpoint,
    /// The cause.
    pub outage: Outage,
    /// Support address of the merchant's profile.
    pub to: Option<Email>,
    /// Language.
    pub locale: BoundedText<2, 16>,
    /// Progress.
    pub mailing: Mailing,
}

impl EndpointDisabledEmail {
    /// Maximum number for a merchant in a [`PERIOD`](Self::PERIOD): an endpoint that is enabled again and again does not fill
    /// a mailbox.
    pub const MAX_PER_PERIOD: u64 = 5;
    /// Period of the limit.
    pub const PERIOD: TimeDelta = TimeDelta::hours(24);

    /// Returns the e-mail about `endpoint`, disabled at its last update. Without a support address in the profile the
    /// e-mail has failed from the start.
    pub fn new(event: EventId, endpoint: WebhookEndpoint, outage: Outage, profile: &Profile) -> Self {
        let (to, now) = (profile.support_email.clone(), endpoint.updated_at);
        let mailing = if to.is_some() { Mailing::ready(now) } else { Mailing::unaddressed(now) };
        Self { event, endpoint, outage, to, locale: profile.locale.clone(), mailing }
    }

    /// Time when the endpoint was disabled.
    pub const fn at(&self) -> DateTime<Utc> {
        self.endpoint.updated_at
    }

    /// Start of the period whose events were perhaps not queued for the endpoint. An event that was decided before the
    /// endpoint was disabled may be committed after.
    pub fn not_queued_since(&self) -> DateTime<Utc> {
        earlier(self.at(), TimeDelta::minutes(5))
    }

    /// Start of the period whose deliveries to the failing endpoint perhaps failed: their first attempts were earlier.
    pub fn given_up_since(&self) -> DateTime<Utc> {
        let longest = WebhookDelivery::RETRY_PAUSES.iter().fold(TimeDelta::zero(), |sum, pause| sum + *pause);
        // Jitter makes a pause up to 10 percent longer.
        earlier(self.outage.since, longest + longest / 10)
    }
}

fn earlier(than: DateTime<Utc>, by: TimeDelta) -> DateTime<Utc> {
    than.checked_sub_signed(by).unwrap_or(than)
}
