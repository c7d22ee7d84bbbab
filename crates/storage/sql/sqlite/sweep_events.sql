-- Deletes old rows of all tenants, by an index of their time.
DELETE FROM events WHERE rowid IN (
    SELECT rowid FROM events WHERE occurred_at < :before ORDER BY occurred_at LIMIT :limit)
