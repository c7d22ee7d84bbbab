use chrono::{DateTime, TimeDelta, Utc};

use super::{WebhookDelivery, WebhookEndpoint, WebhookResult};
use crate::{EventId, mailing::Mailing, merchant::Profile, text::Email, text::Line};

/// What an endpoint was switched off for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Since when it took nothing.
    pub since: DateTime<Utc>,
    /// What came of the last attempt.
    pub last: WebhookResult,
}

/// A mail that tells a merchant that an endpoint was switched off, though not by the merchant.
///
/// All that it says is kept with it: it is the same mail however often it is sent, whatever becomes of the endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointDisabledEmail {
    /// The event that tells the merchant's other endpoints. The mail is known by its name.
    pub event: EventId,
    /// The endpoint, as it was switched off.
    pub endpoint: WebhookEndpoint,
    /// Why.
    pub outage: Outage,
    /// To whom: whoever the merchant's profile names for support, if it names anybody.
    pub to: Option<Email>,
    /// In which language.
    pub locale: Line<2, 16>,
    /// How far it has come.
    pub mailing: Mailing,
}

impl EndpointDisabledEmail {
    /// So many tell a merchant within [`PERIOD`](Self::PERIOD). Whoever switches an endpoint on again and again, to have it
    /// switched off, fills nobody's mailbox.
    pub const MOST: u64 = 5;
    /// How long a mail counts.
    pub const PERIOD: TimeDelta = TimeDelta::hours(24);

    /// The mail about `endpoint`, which has just been switched off, to a merchant that introduces itself so. Where that names
    /// no address the mail has failed from the start.
    pub fn new(event: EventId, endpoint: WebhookEndpoint, outage: Outage, profile: &Profile) -> Self {
        let (to, now) = (profile.support_email.clone(), endpoint.updated_at);
        let mailing = if to.is_some() { Mailing::ready(now) } else { Mailing::unaddressed(now) };
        Self { event, endpoint, outage, to, locale: profile.locale.clone(), mailing }
    }

    /// When the endpoint was switched off.
    pub const fn at(&self) -> DateTime<Utc> {
        self.endpoint.updated_at
    }

    /// Since when something may have been told that never set out for the endpoint. What was decided before, but written
    /// down after it was switched off, is among it.
    pub fn unsent_since(&self) -> DateTime<Utc> {
        earlier(self.at(), TimeDelta::minutes(5))
    }

    /// Since when something may have been told that was given up as the endpoint took nothing: what was tried first before
    /// that is among it.
    pub fn given_up_since(&self) -> DateTime<Utc> {
        let longest = WebhookDelivery::PAUSES.iter().fold(TimeDelta::zero(), |sum, pause| sum + *pause);
        // Each pause may be a tenth longer.
        earlier(self.outage.since, longest + longest / 10)
    }
}

fn earlier(than: DateTime<Utc>, by: TimeDelta) -> DateTime<Utc> {
    than.checked_sub_signed(by).unwrap_or(than)
}
