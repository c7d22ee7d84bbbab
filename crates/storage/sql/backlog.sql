-- Length and oldest entry of each queue. Each part reads at most 1,000 rows of an index that has only queued rows.
SELECT
(SELECT count(*) FROM (SELECT 1 FROM payments WHERE status = 'verifying' LIMIT 1000) AS counted),
(SELECT min(submitted_at) FROM payments WHERE status = 'verifying'),
(SELECT count(*) FROM (SELECT 1 FROM fiscal_documents WHERE status IN ('issuing', 'delayed') LIMIT 1000) AS counted),
-- A document does not know when its payment succeeded. A credit note is created with the end of its refund.
(SELECT min(CASE WHEN oldest.kind = 'credit_note' THEN oldest.created_at ELSE payments.ended_at END) FROM
    (SELECT merchant, mode, payment, kind, created_at FROM fiscal_documents WHERE status IN ('issuing', 'delayed')
    ORDER BY created_at LIMIT 1000) AS oldest
    JOIN payments ON payments.merchant = oldest.merchant AND payments.mode = oldest.mode AND payments.id = oldest.payment),
(SELECT count(*) FROM (SELECT 1 FROM payments
    WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now) LIMIT 1000) AS counted)
+ (SELECT count(*) FROM (SELECT 1 FROM fiscal_documents
    WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now) LIMIT 1000) AS counted)
+ (SELECT count(*) FROM (SELECT 1 FROM refunds
    WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now) LIMIT 1000) AS counted),
(SELECT min(due_at) FROM (
    SELECT due_at FROM (SELECT due_at FROM payments
        WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now) ORDER BY due_at LIMIT 1) AS first
    UNION ALL
    SELECT due_at FROM (SELECT due_at FROM fiscal_documents
        WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now) ORDER BY due_at LIMIT 1) AS first
    UNION ALL
    SELECT due_at FROM (SELECT due_at FROM refunds
        WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now) ORDER BY due_at LIMIT 1) AS first
    ) AS either),
-- A payment that is paid in part ends when its other parts can no longer be paid. A refund of everything settles it. The
-- captured amount is 0 until the first change by a process with refunds.
(SELECT count(*) FROM (SELECT 1 FROM payments WHERE status = 'partially_paid' AND ended_at IS NOT NULL
    AND (captured = 0 OR returned - over_returned < captured) LIMIT 1000) AS counted),
(SELECT min(ended_at) FROM payments WHERE status = 'partially_paid' AND ended_at IS NOT NULL
    AND (captured = 0 OR returned - over_returned < captured)),
(SELECT count(*) FROM (SELECT 1 FROM webhook_endpoints JOIN webhook_deliveries
    ON webhook_deliveries.merchant = webhook_endpoints.merchant AND webhook_deliveries.mode = webhook_endpoints.mode
    AND webhook_deliveries.endpoint = webhook_endpoints.id AND webhook_deliveries.due_at IS NOT NULL
    WHERE webhook_endpoints.disabled IS NULL AND webhook_endpoints.removed_at IS NULL LIMIT 1000) AS counted),
(SELECT min(oldest) FROM (SELECT (SELECT min(occurred_at) FROM webhook_deliveries
    WHERE webhook_deliveries.merchant = webhook_endpoints.merchant AND webhook_deliveries.mode = webhook_endpoints.mode
    AND webhook_deliveries.endpoint = webhook_endpoints.id AND webhook_deliveries.due_at IS NOT NULL) AS oldest
    FROM webhook_endpoints WHERE disabled IS NULL AND removed_at IS NULL) AS each_first),
(SELECT count(*) FROM (SELECT 1 FROM endpoint_disabled_emails WHERE status = 'failed' LIMIT 1000) AS counted),
(SELECT min(occurred_at) FROM endpoint_disabled_emails WHERE status = 'failed'),
(SELECT count(*) FROM (SELECT 1 FROM refunds WHERE status = 'verifying' LIMIT 1000) AS counted),
(SELECT min(created_at) FROM refunds WHERE status = 'verifying'),
(SELECT count(*) FROM (SELECT 1 FROM fiscal_documents
    WHERE kind = 'credit_note' AND status IN ('requested', 'issuing', 'delayed', 'rejected') LIMIT 1000) AS counted),
(SELECT min(created_at) FROM fiscal_documents
    WHERE kind = 'credit_note' AND status IN ('requested', 'issuing', 'delayed', 'rejected')),
(SELECT count(*) FROM (SELECT 1 FROM refunds WHERE status = 'unattributed' LIMIT 1000) AS counted),
(SELECT min(created_at) FROM refunds WHERE status = 'unattributed'),
-- Escalation is a fact of a leg. The underscore is a colon.
(SELECT count(*) FROM (SELECT 1 FROM refunds WHERE status = 'verifying' AND legs LIKE '%"is_escalated"_true%' LIMIT 1000)
    AS counted)
