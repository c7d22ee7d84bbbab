-- Enqueues all events of a period again, but for tests of other endpoints.
INSERT INTO webhook_deliveries (merchant, mode, endpoint, occurred_at, subject, sequence, kind, attempts, status, due_at)
SELECT merchant, mode, :endpoint, occurred_at, payment, sequence, kind, 0, 'pending', CAST(:due_at AS bigint)
FROM events
WHERE snapshot IS NOT NULL AND merchant = :merchant AND mode = :mode
    AND occurred_at >= :since AND occurred_at < :until AND :find(:kinds, '"' || kind || '"') > 0
UNION ALL
SELECT merchant, mode, :endpoint, occurred_at, id, 0, kind, 0, 'pending', CAST(:due_at AS bigint)
FROM account_events
WHERE (kind <> 'webhook_endpoint.test' OR endpoint = :endpoint) AND merchant = :merchant AND mode = :mode
    AND occurred_at >= :since AND occurred_at < :until AND :find(:kinds, '"' || kind || '"') > 0
ON CONFLICT (merchant, mode, endpoint, occurred_at, subject, sequence)
DO UPDATE SET attempts = 0, status = 'pending', due_at = excluded.due_at, lease_until = NULL, ended_at = NULL
