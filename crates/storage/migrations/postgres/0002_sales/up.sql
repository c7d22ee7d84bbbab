CREATE TABLE payments (
    merchant              text NOT NULL,
    mode                  text NOT NULL CHECK (mode IN ('test', 'live')),
    id                    text NOT NULL,
    account               text NOT NULL,
    provider              text NOT NULL,
    document              text NOT NULL,
    amount                bigint NOT NULL CHECK (amount > 0),
    currency              text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    sale_reference        text NOT NULL CHECK (char_length(sale_reference) BETWEEN 1 AND 128),
    details               text NOT NULL,
    checkout_reference    text NOT NULL,
    checkout_link         text NOT NULL UNIQUE,
    created_at            bigint NOT NULL,
    voluntary_tip         bigint NOT NULL CHECK (voluntary_tip >= 0),
    expires_at            bigint NOT NULL,
    method                text,
    attempts              bigint NOT NULL CHECK (attempts >= 0),
    status                text NOT NULL CHECK (status IN (
        'requires_customer_action', 'processing', 'partially_authorized', 'authorized', 'capturing', 'partially_paid',
        'releasing', 'verifying', 'succeeded', 'declined', 'canceled', 'expired'
    )),
    attempt               text,
    submitted_at          bigint,
    ended_at              bigint,
    decline_code          text,
    decline_can_try_again boolean,
    challenge_url         text,
    challenge_expires_at  bigint,
    verification          text,
    updated_at            bigint NOT NULL,
    version               bigint NOT NULL,
    due_at                bigint,
    lease_until           bigint,
    event_sequence        bigint NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    UNIQUE (merchant, mode, checkout_reference),
    FOREIGN KEY (merchant, mode, account) REFERENCES accounts,

    -- The facts of a stage exist exactly while the payment is in it.
    CHECK ((challenge_url IS NULL) = (challenge_expires_at IS NULL)),
    CHECK (challenge_url IS NULL OR status = 'requires_customer_action'),
    CHECK ((attempt IS NOT NULL) = (status IN ('processing', 'verifying') OR challenge_url IS NOT NULL)),
    CHECK ((attempt IS NULL) = (submitted_at IS NULL)),
    CHECK ((verification IS NOT NULL) = (status = 'verifying')),
    CHECK ((ended_at IS NOT NULL) = (status IN ('succeeded', 'declined', 'canceled', 'expired'))),
    CHECK ((decline_code IS NULL) = (decline_can_try_again IS NULL)),
    -- A payment that is declined and tried again remembers its decline until the answer comes.
    CHECK (CASE status WHEN 'declined' THEN decline_code IS NOT NULL
                       WHEN 'processing' THEN true
                       ELSE decline_code IS NULL END)
);
CREATE INDEX payments_newest ON payments (merchant, mode, created_at DESC, id DESC);
CREATE INDEX payments_by_status ON payments (merchant, mode, status, created_at DESC, id DESC);
CREATE INDEX payments_by_reference ON payments (merchant, mode, sale_reference, created_at DESC, id DESC);
-- Workers serve every merchant, oldest work first.
CREATE INDEX payments_due ON payments (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payments_leased ON payments (lease_until) WHERE lease_until IS NOT NULL;

CREATE FUNCTION refuse_return() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a payment that has ended does not begin again';
END
$$;
CREATE TRIGGER payments_end_once BEFORE UPDATE ON payments FOR EACH ROW
    WHEN (OLD.status IN ('succeeded', 'canceled', 'expired') AND NEW.status <> OLD.status)
    EXECUTE FUNCTION refuse_return();

CREATE TABLE fiscal_documents (
    merchant       text NOT NULL,
    mode           text NOT NULL CHECK (mode IN ('test', 'live')),
    id             text NOT NULL,
    payment        text NOT NULL,
    environment    text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    issuer         text NOT NULL,
    currency       text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    terms          text NOT NULL,
    created_at     bigint NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government')),
    invoice_number text NOT NULL CHECK (char_length(invoice_number) BETWEEN 1 AND 20),
    order_number   text NOT NULL CHECK (char_length(order_number) BETWEEN 1 AND 20),
    total          bigint NOT NULL CHECK (total >= 0),
    content        text NOT NULL,
    revision       bigint NOT NULL CHECK (revision > 0),
    delivery       text NOT NULL,
    status         text NOT NULL CHECK (status IN (
        'requested', 'issuing', 'delayed', 'issued', 'rejected', 'canceled'
    )),
    stage          text,
    fiscal_number  text,
    updated_at     bigint NOT NULL,
    version        bigint NOT NULL,
    due_at         bigint,
    lease_until    bigint,
    PRIMARY KEY (merchant, mode, id),
    UNIQUE (merchant, mode, payment),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments,

    -- The facts of a stage exist exactly while the document is in it.
    CHECK ((stage IS NULL) = (status = 'requested')),
    CHECK (due_at IS NOT NULL OR status NOT IN ('issuing', 'delayed')),
    CHECK (due_at IS NULL OR status IN ('requested', 'issuing', 'delayed')),
    CHECK (status <> 'issued' OR fiscal_number IS NOT NULL),
    CHECK (fiscal_number IS NULL OR status IN ('issuing', 'delayed', 'issued', 'rejected'))
);
CREATE INDEX fiscal_documents_by_invoice ON fiscal_documents (merchant, mode, invoice_number, created_at DESC);
CREATE INDEX fiscal_documents_by_order ON fiscal_documents (merchant, mode, order_number, created_at DESC);
CREATE INDEX fiscal_documents_due ON fiscal_documents (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX fiscal_documents_leased ON fiscal_documents (lease_until) WHERE lease_until IS NOT NULL;

CREATE TABLE attempts (
    merchant           text NOT NULL,
    mode               text NOT NULL,
    id                 text NOT NULL,
    payment            text NOT NULL,
    account            text NOT NULL,
    number             bigint NOT NULL CHECK (number >= 0),
    kind               text NOT NULL CHECK (kind IN ('opening', 'sale')),
    amount             bigint NOT NULL CHECK (amount > 0),
    currency           text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    card               text,
    started_at         bigint NOT NULL,
    state              text NOT NULL CHECK (state IN (
        'open', 'unknown', 'approved', 'declined', 'not_submitted', 'not_happened', 'reversed'
    )),
    decline_code       text,
    provider_reference text,
    updated_at         bigint NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    UNIQUE (merchant, mode, payment, number),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments,
    CHECK ((decline_code IS NOT NULL) = (state = 'declined'))
);
-- While one submission is in flight or in doubt, there is no other.
CREATE UNIQUE INDEX attempts_one_at_a_time ON attempts (merchant, mode, payment) WHERE state IN ('open', 'unknown');
-- To find a transaction of the provider by. It should answer one attempt, but a provider that repeats itself must
-- never keep the outcome of a charge from being recorded.
CREATE INDEX attempts_by_reference ON attempts (merchant, mode, account, kind, provider_reference)
    WHERE provider_reference IS NOT NULL;

CREATE TABLE artifacts (
    merchant text NOT NULL,
    mode     text NOT NULL,
    document text NOT NULL,
    revision bigint NOT NULL CHECK (revision > 0),
    kind     text NOT NULL CHECK (kind IN ('signed_document', 'signed_summary')),
    sha256   bytea NOT NULL CHECK (octet_length(sha256) = 32),
    bytes    bytea NOT NULL,
    PRIMARY KEY (merchant, mode, document, revision, kind),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents
);
CREATE TRIGGER artifacts_never_change BEFORE UPDATE OR DELETE ON artifacts
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE events (
    merchant        text NOT NULL,
    mode            text NOT NULL,
    payment         text NOT NULL,
    sequence        bigint NOT NULL CHECK (sequence > 0),
    kind            text NOT NULL,
    previous_status text,
    request         text,
    occurred_at     bigint NOT NULL,
    PRIMARY KEY (merchant, mode, payment, sequence),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments
);

-- A token is found by its digest alone: it is what says which payment it opens.
CREATE TABLE checkout_tokens (
    digest     bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    merchant   text NOT NULL,
    mode       text NOT NULL,
    payment    text NOT NULL,
    scope      text NOT NULL CHECK (scope IN ('pay', 'organizer', 'receipt')),
    expires_at bigint NOT NULL,
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments
);
CREATE INDEX checkout_tokens_of_payment ON checkout_tokens (merchant, mode, payment);
