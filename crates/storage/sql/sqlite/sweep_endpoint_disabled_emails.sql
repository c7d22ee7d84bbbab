-- Deletes old rows of all tenants, by an index of their time.
DELETE FROM endpoint_disabled_emails WHERE rowid IN (
    SELECT rowid FROM endpoint_disabled_emails WHERE occurred_at < :before ORDER BY occurred_at LIMIT :limit)
