-- Leases due deliveries. Of each enabled endpoint, locks the oldest for which there is room beside those in progress; of
-- these, leases the oldest of the failing, fast and other endpoints. Rows that another worker locks are skipped.
WITH RECURSIVE waiting AS (
    -- Endpoints with queued deliveries: one index step for each.
    (SELECT merchant, mode, endpoint FROM webhook_deliveries WHERE due_at IS NOT NULL
    ORDER BY merchant, mode, endpoint LIMIT 1)
    UNION ALL
    SELECT following.merchant, following.mode, following.endpoint FROM waiting CROSS JOIN LATERAL (
        SELECT delivery.merchant, delivery.mode, delivery.endpoint FROM webhook_deliveries delivery
        WHERE delivery.due_at IS NOT NULL
            AND (delivery.merchant, delivery.mode, delivery.endpoint) > (waiting.merchant, waiting.mode, waiting.endpoint)
        ORDER BY delivery.merchant, delivery.mode, delivery.endpoint LIMIT 1) following),
due AS (
    SELECT first.*, room.most, row_number() OVER (PARTITION BY room.class ORDER BY first.due_at) AS rank
    FROM waiting
    JOIN webhook_endpoints ON webhook_endpoints.merchant = waiting.merchant AND webhook_endpoints.mode = waiting.mode
        AND webhook_endpoints.id = waiting.endpoint
        AND webhook_endpoints.disabled IS NULL AND webhook_endpoints.removed_at IS NULL
    CROSS JOIN LATERAL (
        SELECT 'failing' AS class, :failing_each::bigint AS each, :failing_all::bigint AS most
            WHERE failing_since IS NOT NULL
        UNION ALL SELECT 'fast', :fast_each, :fast_all
            WHERE failing_since IS NULL AND waiting.endpoint = ANY (:fast::text[])
        UNION ALL SELECT 'healthy', :healthy_each, :healthy_all
            WHERE failing_since IS NULL AND waiting.endpoint <> ALL (:fast::text[])) room
    CROSS JOIN LATERAL (
        SELECT delivery.merchant, delivery.mode, delivery.endpoint, delivery.occurred_at, delivery.subject,
            delivery.sequence, delivery.due_at
        FROM webhook_deliveries delivery
        WHERE delivery.merchant = waiting.merchant AND delivery.mode = waiting.mode
            AND delivery.endpoint = waiting.endpoint AND delivery.due_at <= :now
            AND (delivery.lease_until IS NULL OR delivery.lease_until <= :now)
        ORDER BY delivery.due_at
        LIMIT least(room.most,
            free_delivery_slots(waiting.merchant, waiting.mode, waiting.endpoint, :now, room.each))
        FOR UPDATE SKIP LOCKED) first)
UPDATE webhook_deliveries delivery SET lease_until = :lease_until
FROM due
WHERE due.rank <= due.most
    AND delivery.merchant = due.merchant AND delivery.mode = due.mode AND delivery.endpoint = due.endpoint
    AND delivery.occurred_at = due.occurred_at AND delivery.subject = due.subject AND delivery.sequence = due.sequence
RETURNING delivery.merchant, delivery.mode, delivery.endpoint, delivery.occurred_at, delivery.attempts,
    delivery.lease_until, delivery.subject, delivery.sequence
