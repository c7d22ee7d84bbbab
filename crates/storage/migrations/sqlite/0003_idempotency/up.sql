-- `payment` is empty for a key that is unique in the whole tenant.
CREATE TABLE idempotency_keys (
    merchant      text NOT NULL,
    mode          text NOT NULL CHECK (mode IN ('test', 'live')),
    payment       text NOT NULL,
    digest        blob NOT NULL CHECK (length(digest) = 32),
    fingerprint   blob NOT NULL CHECK (length(fingerprint) = 32),
    first_used_at integer NOT NULL,
    epoch         integer NOT NULL,
    state         text NOT NULL CHECK (state IN ('in_progress', 'reopened', 'completed', 'expired')),
    lease_until   integer,
    attempt       text,
    status        integer,
    etag          text,
    request       text,
    sealed_body   blob,
    PRIMARY KEY (merchant, mode, payment, digest),

    -- An answer exists exactly while it may be given again.
    CHECK ((lease_until IS NOT NULL) = (state = 'in_progress')),
    CHECK (attempt IS NULL OR state = 'in_progress'),
    CHECK ((state = 'completed') = (status IS NOT NULL)),
    CHECK ((state = 'completed') = (request IS NOT NULL)),
    CHECK ((state = 'completed') = (sealed_body IS NOT NULL)),
    CHECK (etag IS NULL OR state = 'completed')
) STRICT;
-- The sweeper serves every merchant, oldest keys first.
CREATE INDEX idempotency_keys_answers ON idempotency_keys (first_used_at) WHERE state = 'completed';
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (first_used_at);
