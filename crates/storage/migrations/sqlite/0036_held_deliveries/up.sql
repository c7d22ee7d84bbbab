-- How much of an endpoint is in flight is counted, not looked for among what waits: what is held need not be the oldest.
CREATE INDEX webhook_deliveries_held ON webhook_deliveries (merchant, mode, endpoint, lease_until)
    WHERE lease_until IS NOT NULL;
