-- Enqueues events for the endpoints of their tenant.
INSERT INTO webhook_deliveries (merchant, mode, endpoint, occurred_at, subject, sequence, kind, attempts, status, due_at)
:events
