//! What is old, found by indexes of their own: few sell in one file.

pub(super) const OLD_DELIVERIES: &str = "DELETE FROM webhook_deliveries WHERE rowid IN \
     (SELECT rowid FROM webhook_deliveries WHERE told_at < $1 ORDER BY told_at LIMIT $2)";

pub(super) const OLD_EVENTS: &str = "DELETE FROM events WHERE rowid IN \
     (SELECT rowid FROM events WHERE occurred_at < $1 ORDER BY occurred_at LIMIT $2)";

pub(super) const OLD_NOTICES: &str = "DELETE FROM notices WHERE rowid IN \
     (SELECT rowid FROM notices WHERE occurred_at < $1 ORDER BY occurred_at LIMIT $2)";

pub(super) const OLD_MAILS: &str = "DELETE FROM switch_off_mails WHERE rowid IN \
     (SELECT rowid FROM switch_off_mails WHERE told_at < $1 ORDER BY told_at LIMIT $2)";
