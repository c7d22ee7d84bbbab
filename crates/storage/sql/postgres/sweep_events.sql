-- Deletes old events. The index is by tenant: one index step finds the next tenant, and one its old rows.
WITH RECURSIVE tenants AS (
    (SELECT merchant, mode FROM :table ORDER BY merchant, mode LIMIT 1)
    UNION ALL
    SELECT following.merchant, following.mode FROM tenants CROSS JOIN LATERAL (
        SELECT event.merchant, event.mode FROM :table event
        WHERE (event.merchant, event.mode) > (tenants.merchant, tenants.mode)
        ORDER BY event.merchant, event.mode LIMIT 1) following)
DELETE FROM :table WHERE ctid = ANY (ARRAY(
    SELECT old.ctid FROM tenants CROSS JOIN LATERAL (
        SELECT event.ctid FROM :table event
        WHERE event.merchant = tenants.merchant AND event.mode = tenants.mode AND event.occurred_at < :before
        LIMIT :limit) old
    LIMIT :limit))
