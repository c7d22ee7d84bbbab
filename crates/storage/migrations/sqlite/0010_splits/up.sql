-- Whatever a table checks cannot be altered here, so both are made anew. What refers to them is checked at the end.
PRAGMA defer_foreign_keys = ON;

CREATE TEMP TABLE payments_before AS SELECT * FROM payments;
DROP TABLE payments;
-- A shared payment has a split: who pays which part, and where each stands. Of such a payment, status, submitted_at
-- and ended_at are computed from its parts.
CREATE TABLE payments (
    merchant              text NOT NULL,
    mode                  text NOT NULL CHECK (mode IN ('test', 'live')),
    id                    text NOT NULL,
    account               text NOT NULL,
    provider              text NOT NULL,
    document              text NOT NULL,
    amount                integer NOT NULL CHECK (amount > 0),
    currency              text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    sale_reference        text NOT NULL CHECK (length(sale_reference) BETWEEN 1 AND 128),
    details               text NOT NULL,
    checkout_reference    text NOT NULL,
    checkout_link         text NOT NULL UNIQUE,
    created_at            integer NOT NULL,
    voluntary_tip         integer NOT NULL CHECK (voluntary_tip >= 0),
    expires_at            integer NOT NULL,
    method                text,
    attempts              integer NOT NULL CHECK (attempts >= 0),
    status                text NOT NULL CHECK (status IN (
        'requires_customer_action', 'processing', 'partially_authorized', 'authorized', 'capturing', 'partially_paid',
        'releasing', 'verifying', 'succeeded', 'declined', 'canceled', 'expired'
    )),
    attempt               text,
    submitted_at          integer,
    ended_at              integer,
    decline_code          text,
    decline_can_try_again integer,
    challenge_url         text,
    challenge_expires_at  integer,
    verification          text,
    split                 text,
    updated_at            integer NOT NULL,
    version               integer NOT NULL,
    due_at                integer,
    lease_until           integer,
    event_sequence        integer NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    UNIQUE (merchant, mode, checkout_reference),
    FOREIGN KEY (merchant, mode, account) REFERENCES accounts,

    -- The facts of a stage exist exactly while the payment is in it.
    CHECK ((challenge_url IS NULL) = (challenge_expires_at IS NULL)),
    CHECK (challenge_url IS NULL OR status = 'requires_customer_action'),
    CHECK (CASE WHEN split IS NULL THEN
        status NOT IN ('partially_authorized', 'authorized', 'capturing', 'partially_paid', 'releasing')
        AND (attempt IS NOT NULL) = (status IN ('processing', 'verifying') OR challenge_url IS NOT NULL)
        AND (attempt IS NULL) = (submitted_at IS NULL)
        AND (verification IS NOT NULL) = (status = 'verifying')
        AND (ended_at IS NOT NULL) = (status IN ('succeeded', 'declined', 'canceled', 'expired'))
    ELSE
        status <> 'declined' AND attempt IS NULL AND challenge_url IS NULL AND verification IS NULL
        AND decline_code IS NULL
        AND (submitted_at IS NOT NULL) = (status = 'verifying')
        AND (ended_at IS NOT NULL OR status NOT IN ('succeeded', 'canceled', 'expired'))
        AND (ended_at IS NULL OR status IN ('succeeded', 'canceled', 'expired', 'partially_paid'))
        -- Whatever is unfinished, somebody looks after.
        AND (due_at IS NOT NULL) = (ended_at IS NULL)
    END),
    CHECK ((decline_code IS NULL) = (decline_can_try_again IS NULL)),
    -- A payment that is declined and tried again remembers its decline until the answer comes.
    CHECK (CASE status WHEN 'declined' THEN decline_code IS NOT NULL
                       WHEN 'processing' THEN 1
                       ELSE decline_code IS NULL END)
) STRICT;
INSERT INTO payments (
    merchant, mode, id, account, provider, document, amount, currency, sale_reference, details, checkout_reference,
    checkout_link, created_at, voluntary_tip, expires_at, method, attempts, status, attempt, submitted_at,
    ended_at, decline_code, decline_can_try_again, challenge_url, challenge_expires_at, verification, updated_at,
    version, due_at, lease_until, event_sequence
)
SELECT
    merchant, mode, id, account, provider, document, amount, currency, sale_reference, details, checkout_reference,
    checkout_link, created_at, voluntary_tip, expires_at, method, attempts, status, attempt, submitted_at,
    ended_at, decline_code, decline_can_try_again, challenge_url, challenge_expires_at, verification, updated_at,
    version, due_at, lease_until, event_sequence
FROM payments_before;
DROP TABLE payments_before;
CREATE INDEX payments_newest ON payments (merchant, mode, created_at DESC, id DESC);
CREATE INDEX payments_by_status ON payments (merchant, mode, status, created_at DESC, id DESC);
CREATE INDEX payments_by_reference ON payments (merchant, mode, sale_reference, created_at DESC, id DESC);
CREATE INDEX payments_by_account ON payments (merchant, mode, account, created_at DESC, id DESC);
CREATE INDEX payments_due ON payments (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payments_leased ON payments (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX payments_verifying ON payments (submitted_at) WHERE status = 'verifying';

-- An expired split can be renewed.
CREATE TRIGGER payments_end_once BEFORE UPDATE ON payments
    WHEN NEW.status <> OLD.status AND (OLD.status IN ('succeeded', 'canceled')
        OR (OLD.status = 'expired' AND (OLD.split IS NULL OR NEW.split IS NULL)))
BEGIN
    SELECT RAISE(ABORT, 'a payment that has ended does not begin again');
END;

-- The part of the split that an attempt, or an event, is about.
CREATE TEMP TABLE attempts_before AS SELECT * FROM attempts;
DROP TABLE attempts;
CREATE TABLE attempts (
    merchant           text NOT NULL,
    mode               text NOT NULL,
    id                 text NOT NULL,
    payment            text NOT NULL,
    account            text NOT NULL,
    number             integer NOT NULL CHECK (number >= 0),
    part               integer CHECK (part BETWEEN 1 AND 10),
    kind               text NOT NULL CHECK (kind IN ('opening', 'sale', 'authorization', 'capture', 'release')),
    amount             integer NOT NULL CHECK (amount > 0),
    currency           text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    card               text,
    started_at         integer NOT NULL,
    state              text NOT NULL CHECK (state IN (
        'open', 'unknown', 'approved', 'declined', 'not_submitted', 'not_happened', 'reversed'
    )),
    decline_code       text,
    provider_reference text,
    updated_at         integer NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments,
    CHECK ((decline_code IS NOT NULL) = (state = 'declined')),
    CHECK ((part IS NULL) = (kind IN ('opening', 'sale')))
) STRICT;
INSERT INTO attempts (
    merchant, mode, id, payment, account, number, kind, amount, currency, card, started_at, state, decline_code,
    provider_reference, updated_at
)
SELECT
    merchant, mode, id, payment, account, number, kind, amount, currency, card, started_at, state, decline_code,
    provider_reference, updated_at
FROM attempts_before;
DROP TABLE attempts_before;
ALTER TABLE events ADD COLUMN part integer CHECK (part BETWEEN 1 AND 10);

CREATE INDEX attempts_by_reference ON attempts (merchant, mode, account, kind, provider_reference)
    WHERE provider_reference IS NOT NULL;
-- Cards for a part are counted from 1 again when the split is cut anew, and a capture has the number of its card.
CREATE UNIQUE INDEX attempts_by_number ON attempts (merchant, mode, payment, number) WHERE part IS NULL;
-- While one submission for a part, or for the whole, is in flight or in doubt, there is no other.
CREATE UNIQUE INDEX attempts_one_at_a_time ON attempts (merchant, mode, payment, coalesce(part, 0))
    WHERE state IN ('open', 'unknown');
-- No part is captured twice, and no payment is charged twice.
CREATE UNIQUE INDEX attempts_captured_once ON attempts (merchant, mode, payment, coalesce(part, 0))
    WHERE state = 'approved' AND kind IN ('sale', 'capture');
