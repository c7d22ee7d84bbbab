-- Leases due payments, documents and refunds: locks the oldest of each table, and leases the oldest of all. Rows that
-- another worker locks are skipped.
WITH due_payments AS (
    SELECT 'payments' AS source, merchant, mode, id, due_at FROM payments
    WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now)
    ORDER BY due_at LIMIT :limit FOR UPDATE SKIP LOCKED),
due_fiscal_documents AS (
    SELECT 'fiscal_documents' AS source, merchant, mode, id, due_at FROM fiscal_documents
    WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now)
    ORDER BY due_at LIMIT :limit FOR UPDATE SKIP LOCKED),
due_refunds AS (
    SELECT 'refunds' AS source, merchant, mode, id, due_at FROM refunds
    WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now)
    ORDER BY due_at LIMIT :limit FOR UPDATE SKIP LOCKED),
due AS (
    SELECT * FROM (
        SELECT * FROM due_payments UNION ALL SELECT * FROM due_fiscal_documents UNION ALL SELECT * FROM due_refunds
    ) either
    ORDER BY due_at LIMIT :limit),
leased_payments AS (
    UPDATE payments SET lease_until = :lease_until FROM due
    WHERE source = 'payments' AND payments.merchant = due.merchant AND payments.mode = due.mode AND payments.id = due.id
    RETURNING 1),
leased_fiscal_documents AS (
    UPDATE fiscal_documents SET lease_until = :lease_until FROM due
    WHERE source = 'fiscal_documents' AND fiscal_documents.merchant = due.merchant
        AND fiscal_documents.mode = due.mode AND fiscal_documents.id = due.id
    RETURNING 1),
leased_refunds AS (
    UPDATE refunds SET lease_until = :lease_until FROM due
    WHERE source = 'refunds' AND refunds.merchant = due.merchant AND refunds.mode = due.mode AND refunds.id = due.id
    RETURNING 1)
SELECT source, merchant, mode, id FROM due ORDER BY due_at
