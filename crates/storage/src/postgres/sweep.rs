//! What is old, found by the indexes that serve each tenant: one step for each of them, and then so many rows of it.

/// Of each endpoint.
pub(super) const OLD_DELIVERIES: &str = "WITH RECURSIVE its AS (\
     (SELECT merchant, mode, endpoint FROM webhook_deliveries ORDER BY merchant, mode, endpoint LIMIT 1) \
     UNION ALL SELECT following.merchant, following.mode, following.endpoint FROM its CROSS JOIN LATERAL \
     (SELECT it.merchant, it.mode, it.endpoint FROM webhook_deliveries it \
     WHERE (it.merchant, it.mode, it.endpoint) > (its.merchant, its.mode, its.endpoint) \
     ORDER BY it.merchant, it.mode, it.endpoint LIMIT 1) following) \
     DELETE FROM webhook_deliveries WHERE ctid = ANY (ARRAY(SELECT old.ctid FROM its CROSS JOIN LATERAL \
     (SELECT it.ctid FROM webhook_deliveries it WHERE it.merchant = its.merchant AND it.mode = its.mode \
     AND it.endpoint = its.endpoint AND it.told_at < $1 ORDER BY it.told_at LIMIT $2) old LIMIT $2))";

/// Of each tenant.
pub(super) const OLD_EVENTS: &str = "WITH RECURSIVE its AS (\
     (SELECT merchant, mode FROM events ORDER BY merchant, mode LIMIT 1) \
     UNION ALL SELECT following.merchant, following.mode FROM its CROSS JOIN LATERAL \
     (SELECT it.merchant, it.mode FROM events it WHERE (it.merchant, it.mode) > (its.merchant, its.mode) \
     ORDER BY it.merchant, it.mode LIMIT 1) following) \
     DELETE FROM events WHERE ctid = ANY (ARRAY(SELECT old.ctid FROM its CROSS JOIN LATERAL \
     (SELECT it.ctid FROM events it WHERE it.merchant = its.merchant AND it.mode = its.mode \
     AND it.occurred_at < $1 LIMIT $2) old LIMIT $2))";

/// The same of what is about no payment.
pub(super) const OLD_NOTICES: &str = "WITH RECURSIVE its AS (\
     (SELECT merchant, mode FROM notices ORDER BY merchant, mode LIMIT 1) \
     UNION ALL SELECT following.merchant, following.mode FROM its CROSS JOIN LATERAL \
     (SELECT it.merchant, it.mode FROM notices it WHERE (it.merchant, it.mode) > (its.merchant, its.mode) \
     ORDER BY it.merchant, it.mode LIMIT 1) following) \
     DELETE FROM notices WHERE ctid = ANY (ARRAY(SELECT old.ctid FROM its CROSS JOIN LATERAL \
     (SELECT it.ctid FROM notices it WHERE it.merchant = its.merchant AND it.mode = its.mode \
     AND it.occurred_at < $1 LIMIT $2) old LIMIT $2))";

/// What told merchants of endpoints that were switched off. There is little of it, and an index of its own.
pub(super) const OLD_MAILS: &str = "DELETE FROM switch_off_mails WHERE ctid = ANY (ARRAY(\
     SELECT old.ctid FROM switch_off_mails old WHERE old.told_at < $1 ORDER BY old.told_at LIMIT $2))";
