-- Time at which the next delivery of an enabled endpoint is due and has no lease. Of each endpoint, the oldest 300 are
-- read: more than are ever in progress.
WITH RECURSIVE waiting AS (
    (SELECT merchant, mode, endpoint FROM webhook_deliveries WHERE due_at IS NOT NULL
    ORDER BY merchant, mode, endpoint LIMIT 1)
    UNION ALL
    SELECT following.merchant, following.mode, following.endpoint FROM waiting CROSS JOIN LATERAL (
        SELECT delivery.merchant, delivery.mode, delivery.endpoint FROM webhook_deliveries delivery
        WHERE delivery.due_at IS NOT NULL
            AND (delivery.merchant, delivery.mode, delivery.endpoint) > (waiting.merchant, waiting.mode, waiting.endpoint)
        ORDER BY delivery.merchant, delivery.mode, delivery.endpoint LIMIT 1) following)
SELECT min(first.due)
FROM waiting
JOIN webhook_endpoints ON webhook_endpoints.merchant = waiting.merchant AND webhook_endpoints.mode = waiting.mode
    AND webhook_endpoints.id = waiting.endpoint
    AND webhook_endpoints.disabled IS NULL AND webhook_endpoints.removed_at IS NULL
CROSS JOIN LATERAL (
    SELECT min(head.due) AS due FROM (
        SELECT greatest(delivery.due_at, coalesce(delivery.lease_until, delivery.due_at)) AS due
        FROM webhook_deliveries delivery
        WHERE delivery.merchant = waiting.merchant AND delivery.mode = waiting.mode
            AND delivery.endpoint = waiting.endpoint AND delivery.due_at IS NOT NULL
        ORDER BY delivery.due_at LIMIT 300) head) first
