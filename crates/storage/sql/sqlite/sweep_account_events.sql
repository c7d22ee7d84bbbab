-- Deletes old rows of all tenants, by an index of their time.
DELETE FROM account_events WHERE rowid IN (
    SELECT rowid FROM account_events WHERE occurred_at < :before ORDER BY occurred_at LIMIT :limit)
