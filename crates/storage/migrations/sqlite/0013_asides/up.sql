-- What is beside the way of a payment: attempts that it has moved on without, which somebody looks after although it
-- has ended, and how many of its cards provably never left. Whatever the table checks cannot be altered here, so it is made anew. What refers to it is
-- checked at the end. A challenge is one thing, and nobody was asked for one yet.
PRAGMA defer_foreign_keys = ON;

CREATE TEMP TABLE payments_before AS SELECT * FROM payments;
DROP TABLE payments;
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
    challenge             text,
    verification          text,
    split                 text,
    asides                text,
    updated_at            integer NOT NULL,
    version               integer NOT NULL,
    due_at                integer,
    lease_until           integer,
    event_sequence        integer NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    UNIQUE (merchant, mode, checkout_reference),
    FOREIGN KEY (merchant, mode, account) REFERENCES accounts,

    -- The facts of a stage exist exactly while the payment is in it.
    CHECK (challenge IS NULL OR status = 'requires_customer_action'),
    CHECK (CASE WHEN split IS NULL THEN
        status NOT IN ('partially_authorized', 'authorized', 'capturing', 'partially_paid', 'releasing')
        AND (attempt IS NOT NULL) = (status IN ('processing', 'verifying') OR challenge IS NOT NULL)
        AND (attempt IS NULL) = (submitted_at IS NULL)
        AND (verification IS NOT NULL) = (status = 'verifying')
        AND (ended_at IS NOT NULL) = (status IN ('succeeded', 'declined', 'canceled', 'expired'))
    ELSE
        status <> 'declined' AND attempt IS NULL AND challenge IS NULL AND verification IS NULL
        AND decline_code IS NULL
        AND (submitted_at IS NOT NULL) = (status = 'verifying')
        AND (ended_at IS NOT NULL OR status NOT IN ('succeeded', 'canceled', 'expired'))
        AND (ended_at IS NULL OR status IN ('succeeded', 'canceled', 'expired', 'partially_paid'))
        -- Whatever is unfinished, somebody looks after; and what has ended at most for what is beside it.
        AND (due_at IS NOT NULL OR ended_at IS NOT NULL)
        AND (due_at IS NULL OR ended_at IS NULL OR asides IS NOT NULL)
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
    ended_at, decline_code, decline_can_try_again, verification, split, updated_at, version, due_at, lease_until, event_sequence
)
SELECT
    merchant, mode, id, account, provider, document, amount, currency, sale_reference, details, checkout_reference,
    checkout_link, created_at, voluntary_tip, expires_at, method, attempts, status, attempt, submitted_at,
    ended_at, decline_code, decline_can_try_again, verification, split, updated_at, version, due_at, lease_until, event_sequence
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
