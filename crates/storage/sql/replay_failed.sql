-- Enqueues the failed deliveries of a period again.
UPDATE webhook_deliveries
SET attempts = 0, status = 'pending', due_at = :due_at, lease_until = NULL, ended_at = NULL
WHERE endpoint = :endpoint AND status = 'failed' AND merchant = :merchant AND mode = :mode
    AND occurred_at >= :since AND occurred_at < :until AND :find(:kinds, '"' || kind || '"') > 0
