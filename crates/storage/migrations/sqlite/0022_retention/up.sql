-- Events and what is known of their deliveries are removed when they are old, and secrets that were replaced when they
-- sign nothing more, whoever's they are.
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (told_at);
CREATE INDEX events_by_age ON events (occurred_at);
CREATE INDEX notices_by_age ON notices (occurred_at);
CREATE INDEX webhook_endpoints_replaced ON webhook_endpoints (previous_until) WHERE previous_until IS NOT NULL;
