-- Deletes old rows of all tenants, by an index of their time.
DELETE FROM :table WHERE rowid IN (SELECT rowid FROM :table WHERE occurred_at < :before ORDER BY occurred_at LIMIT :limit)
