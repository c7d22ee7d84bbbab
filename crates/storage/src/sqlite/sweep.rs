//! What is old, found by indexes of their own: few sell in one file.

pub(super) const OLD_WEBHOOK_DELIVERIES: &str = "DELETE FROM webhook_deliveries WHERE rowid IN \
     (SELECT rowid FROM webhook_deliveries WHERE occurred_at < $1 ORDER BY occurred_at LIMIT $2)";

pub(super) const OLD_EVENTS: &str = "DELETE FROM events WHERE rowid IN \
     (SELECT rowid FROM events WHERE occurred_at < $1 ORDER BY occurred_at LIMIT $2)";

pub(super) const OLD_ACCOUNT_EVENTS: &str = "DELETE FROM account_events WHERE rowid IN \
     (SELECT rowid FROM account_events WHERE occurred_at < $1 ORDER BY occurred_at LIMIT $2)";

pub(super) const OLD_ENDPOINT_DISABLED_EMAILS: &str = "DELETE FROM endpoint_disabled_emails WHERE rowid IN \
     (SELECT rowid FROM endpoint_disabled_emails WHERE occurred_at < $1 ORDER BY occurred_at LIMIT $2)";
