-- While one secret replaces another, both sign; what is switched off gets nothing, and what is removed is kept for what
-- refers to it. `failing_since` is when an endpoint first refused something after it last took something.
ALTER TABLE webhook_endpoints ADD COLUMN previous_secret blob;
ALTER TABLE webhook_endpoints ADD COLUMN previous_until integer CHECK ((previous_secret IS NULL) = (previous_until IS NULL));
ALTER TABLE webhook_endpoints ADD COLUMN failing_since integer;
ALTER TABLE webhook_endpoints ADD COLUMN removed_at integer;
CREATE INDEX webhook_endpoints_open ON webhook_endpoints (merchant, mode, id)
    WHERE disabled IS NULL AND removed_at IS NULL;

-- Events of no payment, each with what it is about as it stood then.
CREATE TABLE notices (
    merchant    text NOT NULL,
    mode        text NOT NULL,
    id          text NOT NULL,
    kind        text NOT NULL,
    endpoint    text NOT NULL,
    request     text,
    occurred_at integer NOT NULL,
    snapshot    text NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, endpoint) REFERENCES webhook_endpoints
) STRICT;
CREATE INDEX notices_newest ON notices (merchant, mode, occurred_at DESC, id DESC);

-- One event on its way to one endpoint. `subject` and `sequence` name the event: those of a payment by the payment and
-- their place, a notice by its own name and 0.
CREATE TABLE webhook_deliveries (
    merchant    text NOT NULL,
    mode        text NOT NULL,
    endpoint    text NOT NULL,
    told_at     integer NOT NULL,
    subject     text NOT NULL,
    sequence    integer NOT NULL CHECK (sequence >= 0),
    kind        text NOT NULL,
    attempts    integer NOT NULL CHECK (attempts >= 0),
    status      text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    due_at      integer,
    lease_until integer,
    ended_at    integer,
    last_at     integer,
    last_result text,
    last_took   integer,
    PRIMARY KEY (merchant, mode, endpoint, told_at, subject, sequence),
    FOREIGN KEY (merchant, mode, endpoint) REFERENCES webhook_endpoints,
    CHECK ((due_at IS NOT NULL) = (status = 'pending')),
    CHECK ((ended_at IS NULL) = (status = 'pending')),
    CHECK (lease_until IS NULL OR status = 'pending'),
    CHECK ((last_at IS NULL) = (last_result IS NULL) AND (last_at IS NULL) = (last_took IS NULL))
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (merchant, mode, endpoint, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (merchant, mode, endpoint, told_at)
    WHERE due_at IS NOT NULL;
