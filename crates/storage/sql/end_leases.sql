-- Ends the leases of the due rows of a table.
UPDATE :table SET lease_until = NULL WHERE due_at IS NOT NULL AND lease_until IS NOT NULL
