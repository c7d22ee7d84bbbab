-- Deletes the oldest stored responses. The keys stay, and refuse a request.
UPDATE idempotency_keys
SET state = 'expired', epoch = epoch + 1, status = NULL, etag = NULL, request = NULL, sealed_body = NULL
WHERE (merchant, mode, payment, digest) IN (
    SELECT merchant, mode, payment, digest FROM idempotency_keys
    WHERE state = 'completed' AND first_used_at < :before ORDER BY first_used_at LIMIT :limit)
