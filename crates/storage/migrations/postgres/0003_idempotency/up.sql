-- `payment` is empty for a key that is unique in the whole tenant.
CREATE TABLE idempotency_keys (
    merchant      text NOT NULL,
    mode          text NOT NULL CHECK (mode IN ('test', 'live')),
    payment       text NOT NULL,
    digest        bytea NOT NULL CHECK (octet_length(digest) = 32),
    fingerprint   bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    first_used_at bigint NOT NULL,
    epoch         bigint NOT NULL,
    state         text NOT NULL CHECK (state IN ('in_progress', 'reopened', 'completed', 'expired')),
    lease_until   bigint,
    attempt       text,
    status        bigint,
    etag          text,
    request       text,
    sealed_body   bytea,
    PRIMARY KEY (merchant, mode, payment, digest),

    -- An answer exists exactly while it may be given again.
    CHECK ((lease_until IS NOT NULL) = (state = 'in_progress')),
    CHECK (attempt IS NULL OR state = 'in_progress'),
    CHECK ((state = 'completed') = (status IS NOT NULL)),
    CHECK ((state = 'completed') = (request IS NOT NULL)),
    CHECK ((state = 'completed') = (sealed_body IS NOT NULL)),
    CHECK (etag IS NULL OR state = 'completed')
);
-- The sweeper serves every merchant, oldest keys first.
CREATE INDEX idempotency_keys_answers ON idempotency_keys (first_used_at) WHERE state = 'completed';
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (first_used_at);
