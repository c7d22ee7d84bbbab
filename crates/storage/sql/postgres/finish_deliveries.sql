-- Stores the results of attempts, of each delivery only if its lease is still the one of the attempt, and the health of
-- the endpoints that changed.
WITH health AS (
    UPDATE webhook_endpoints endpoint SET failing_since = found.failing_since
    FROM unnest(:checked::text[], :failing_since::bigint[], :has_accepted::bigint[])
        AS found(id, failing_since, has_accepted)
    WHERE endpoint.merchant = :merchant AND endpoint.mode = :mode AND endpoint.id = found.id
        AND endpoint.failing_since IS DISTINCT FROM found.failing_since
        AND (endpoint.failing_since IS NULL OR found.has_accepted > 0))
UPDATE webhook_deliveries delivery
SET attempts = done.attempts, status = done.status, due_at = done.due_at, lease_until = NULL, ended_at = done.ended_at,
    last_attempt_at = done.last_attempt_at, last_result = done.last_result, last_duration = done.last_duration
FROM unnest(:endpoint::text[], :occurred_at::bigint[], :sequence::bigint[], :lease_until::bigint[], :attempts::bigint[],
    :last_attempt_at::bigint[], :last_duration::bigint[], :due_at::bigint[], :ended_at::bigint[], :subject::text[],
    :status::text[], :last_result::text[])
    AS done(endpoint, occurred_at, sequence, lease_until, attempts, last_attempt_at, last_duration, due_at, ended_at,
    subject, status, last_result)
WHERE delivery.merchant = :merchant AND delivery.mode = :mode AND delivery.endpoint = done.endpoint
    AND delivery.occurred_at = done.occurred_at AND delivery.subject = done.subject
    AND delivery.sequence = done.sequence AND delivery.lease_until = done.lease_until
