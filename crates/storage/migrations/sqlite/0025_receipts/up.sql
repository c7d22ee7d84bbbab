-- The reference of a receipt is a credential: it is found by itself.
CREATE UNIQUE INDEX payments_of_receipt ON payments (checkout_reference);

-- Every visit of a page leaves a token. Those that expired long ago are removed, whoever's they are.
CREATE INDEX checkout_tokens_by_age ON checkout_tokens (expires_at);
