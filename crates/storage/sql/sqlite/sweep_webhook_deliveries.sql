-- Deletes old rows of all tenants, by an index of their time.
DELETE FROM webhook_deliveries WHERE rowid IN (
    SELECT rowid FROM webhook_deliveries WHERE occurred_at < :before ORDER BY occurred_at LIMIT :limit)
