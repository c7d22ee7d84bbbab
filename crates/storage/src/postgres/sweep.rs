//! What is old, found by the indexes that serve each tenant: one step for each of them, and then so many rows of it.

/// Of each endpoint.
pub(super) const OLD_WEBHOOK_DELIVERIES: &str = "WITH RECURSIVE its AS (\
     (SELECT merchant, mode, endpoint FROM webhook_deliveries ORDER BY merchant, mode, endpoint LIMIT 1) \
     UNION ALL SELECT following.merchant, following.mode, following.endpoint FROM its CROSS JOIN LATERAL \
     (SELECT it.merchant, it.mode, it.endpoint FROM webhook_deliveries it \
     WHERE (it.merchant, it.mode, it.endpoint) > (its.merchant, its.mode, its.endpoint) \
     ORDER BY it.merchant, it.mode, it.endpoint LIMIT 1) following) \
     DELETE FROM webhook_deliveries WHERE ctid = ANY (ARRAY(SELECT old.ctid FROM its CROSS JOIN LATERAL \
     (SELECT it.ctid FROM webhook_deliveries it WHERE it.merchant = its.merchant AND it.mode = its.mode \
     AND it.endpoint = its.endpoint AND it.occurred_at < $1 ORDER BY it.occurred_at LIMIT $2) old LIMIT $2))";

/// Of each tenant.
pub(super) const OLD_EVENTS: &str = "WITH RECURSIVE its AS (\
     (SELECT merchant, mode FROM events ORDER BY merchant, mode LIMIT 1) \
     UNION ALL SELECT following.merchant, following.mode FROM its CROSS JOIN LATERAL \
     (SELECT it.merchant, it.mode FROM events it WHERE (it.merchant, it.mode) > (its.merchant, its.mode) \
     ORDER BY it.merchant, it.mode LIMIT 1) following) \
     DELETE FROM events WHERE ctid = ANY (ARRAY(SELECT old.ctid FROM its CROSS JOIN LATERAL \
     (SELECT it.ctid FROM events it WHERE it.merchant = its.merchant AND it.mode = its.mode \
     AND it.occurred_at < $1 LIMIT $2) old LIMIT $2))";

/// The same of events of no payment.
pub(super) const OLD_ACCOUNT_EVENTS: &str = "WITH RECURSIVE its AS (\
     (SELECT merchant, mode FROM account_events ORDER BY merchant, mode LIMIT 1) \
     UNION ALL SELECT following.merchant, following.mode FROM its CROSS JOIN LATERAL \
     (SELECT it.merchant, it.mode FROM account_events it WHERE (it.merchant, it.mode) > (its.merchant, its.mode) \
     ORDER BY it.merchant, it.mode LIMIT 1) following) \
     DELETE FROM account_events WHERE ctid = ANY (ARRAY(SELECT old.ctid FROM its CROSS JOIN LATERAL \
     (SELECT it.ctid FROM account_events it WHERE it.merchant = its.merchant AND it.mode = its.mode \
     AND it.occurred_at < $1 LIMIT $2) old LIMIT $2))";

/// E-mails about disabled endpoints. They are few, and have an index of their own.
pub(super) const OLD_ENDPOINT_DISABLED_EMAILS: &str = "DELETE FROM endpoint_disabled_emails WHERE ctid = ANY (ARRAY(\
     SELECT old.ctid FROM endpoint_disabled_emails old WHERE old.occurred_at < $1 ORDER BY old.occurred_at LIMIT $2))";
