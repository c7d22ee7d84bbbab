-- Deletes the oldest idempotency keys.
DELETE FROM idempotency_keys WHERE (merchant, mode, payment, digest) IN (
    SELECT merchant, mode, payment, digest FROM idempotency_keys
    WHERE first_used_at < :before ORDER BY first_used_at LIMIT :limit)
