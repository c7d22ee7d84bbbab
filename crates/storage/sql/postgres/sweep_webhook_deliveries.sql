-- Deletes old deliveries. The index is by endpoint: one index step finds the next endpoint, and one its old rows.
WITH RECURSIVE endpoints AS (
    (SELECT merchant, mode, endpoint FROM webhook_deliveries ORDER BY merchant, mode, endpoint LIMIT 1)
    UNION ALL
    SELECT following.merchant, following.mode, following.endpoint FROM endpoints CROSS JOIN LATERAL (
        SELECT delivery.merchant, delivery.mode, delivery.endpoint FROM webhook_deliveries delivery
        WHERE (delivery.merchant, delivery.mode, delivery.endpoint)
            > (endpoints.merchant, endpoints.mode, endpoints.endpoint)
        ORDER BY delivery.merchant, delivery.mode, delivery.endpoint LIMIT 1) following)
DELETE FROM webhook_deliveries WHERE ctid = ANY (ARRAY(
    SELECT old.ctid FROM endpoints CROSS JOIN LATERAL (
        SELECT delivery.ctid FROM webhook_deliveries delivery
        WHERE delivery.merchant = endpoints.merchant AND delivery.mode = endpoints.mode
            AND delivery.endpoint = endpoints.endpoint AND delivery.occurred_at < :before
        ORDER BY delivery.occurred_at LIMIT :limit) old
    LIMIT :limit))
