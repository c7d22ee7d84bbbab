-- Whoever starts alone ends what is left of others: keys that are in progress are few, among many that are not.
CREATE INDEX idempotency_keys_in_progress ON idempotency_keys (lease_until) WHERE state = 'in_progress';
