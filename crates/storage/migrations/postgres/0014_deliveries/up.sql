-- While one secret replaces another, both sign; what is switched off gets nothing, and what is removed is kept for what
-- refers to it. `failing_since` is when an endpoint first refused something after it last took something.
ALTER TABLE webhook_endpoints
    ADD COLUMN previous_secret bytea,
    ADD COLUMN previous_until bigint,
    ADD COLUMN failing_since bigint,
    ADD COLUMN removed_at bigint,
    ADD CHECK ((previous_secret IS NULL) = (previous_until IS NULL));
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
    occurred_at bigint NOT NULL,
    snapshot    text NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, endpoint) REFERENCES webhook_endpoints
);
CREATE INDEX notices_newest ON notices (merchant, mode, occurred_at DESC, id DESC);

-- One event on its way to one endpoint. `subject` and `sequence` name the event: those of a payment by the payment and
-- their place, a notice by its own name and 0. A lease is in no index, so that taking one writes none.
CREATE TABLE webhook_deliveries (
    merchant    text NOT NULL,
    mode        text NOT NULL,
    endpoint    text NOT NULL,
    told_at     bigint NOT NULL,
    subject     text NOT NULL,
    sequence    bigint NOT NULL CHECK (sequence >= 0),
    kind        text NOT NULL,
    attempts    bigint NOT NULL CHECK (attempts >= 0),
    status      text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    due_at      bigint,
    lease_until bigint,
    ended_at    bigint,
    last_at     bigint,
    last_result text,
    last_took   bigint,
    PRIMARY KEY (merchant, mode, endpoint, told_at, subject, sequence),
    FOREIGN KEY (merchant, mode, endpoint) REFERENCES webhook_endpoints,
    CHECK ((due_at IS NOT NULL) = (status = 'pending')),
    CHECK ((ended_at IS NULL) = (status = 'pending')),
    CHECK (lease_until IS NULL OR status = 'pending'),
    CHECK ((last_at IS NULL) = (last_result IS NULL) AND (last_at IS NULL) = (last_took IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (merchant, mode, endpoint, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (merchant, mode, endpoint, told_at)
    WHERE due_at IS NOT NULL;

SELECT hold_to_tenant('notices');
SELECT hold_to_tenant('webhook_deliveries');

-- Workers lease what is due, whoever it belongs to; each attempt is then made as its tenant.
CREATE POLICY due ON webhook_deliveries FOR SELECT
    USING (current_setting('cobro.errand', true) IN ('work', 'watch') AND due_at IS NOT NULL);
CREATE POLICY leased ON webhook_deliveries FOR UPDATE
    USING (current_setting('cobro.errand', true) = 'work' AND due_at IS NOT NULL)
    WITH CHECK (current_setting('cobro.errand', true) = 'work');
CREATE POLICY due ON webhook_endpoints FOR SELECT
    USING (current_setting('cobro.errand', true) IN ('work', 'watch') AND disabled IS NULL AND removed_at IS NULL);
