-- The schema of release 0.1.0. Later changes are migrations of their own; this file never changes again.
--
-- Conventions:
--   * Instants (`..._at`, `..._until`, `..._since`) are milliseconds since 1970-01-01T00:00:00Z. Durations are
--     milliseconds.
--   * Amounts are minor units (cents) of the currency of the row, and otherwise of Dominican pesos.
--   * Calendar days are text, `YYYY-MM-DD`, in the time zone of the Dominican Republic.
--   * JSON is text, so that PostgreSQL and SQLite store the same bytes.
--   * A tenant is a merchant in one mode. Keys begin with both, so that merchants can be spread over machines.
--   * `due_at` is the time of the next step of a worker; NULL means that no step is planned. `lease_until` is the end
--     of the lease of the worker that performs the step; NULL means that the row is not leased.
--   * `version` counts the writes of a row. A write names the version that it is based on and fails if the row has
--     another one.
--   * `sealed...` columns are encrypted with a key of the vault.

-- Functions -----------------------------------------------------------------------------------------------------------

-- Aborts the statement, and all of its writes, unless the condition holds: one decision is one statement.
CREATE FUNCTION raise_unless(is_met boolean, message text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF is_met THEN
        RETURN true;
    END IF;
    RAISE EXCEPTION USING MESSAGE = message;
END
$$;

-- Trigger of tables whose rows are written once.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% never change', TG_TABLE_NAME;
END
$$;

-- Restricts a table to the tenant of the session. Every migration that adds a table of a tenant calls this function.
CREATE FUNCTION isolate_tenants(target regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', target);
    EXECUTE format(
        'CREATE POLICY tenant_isolation ON %s USING (merchant = current_setting(''cobro.merchant'', true)'
        ' AND mode = current_setting(''cobro.mode'', true))',
        target
    );
END
$$;

-- Merchants -----------------------------------------------------------------------------------------------------------

CREATE TABLE merchants (
    id              text PRIMARY KEY,
    is_live_enabled boolean NOT NULL,
    created_at      bigint NOT NULL
);

-- The settings of a merchant in one mode. Columns that may be NULL are not set up yet.
CREATE TABLE profiles (
    merchant              text NOT NULL REFERENCES merchants,
    mode                  text NOT NULL CHECK (mode IN ('test', 'live')),
    legal_name            text,
    rnc                   text, -- taxpayer number at DGII
    display_name          text,
    support_phone         text,
    support_email         text,
    permanent_address     text, -- JSON
    statement_descriptor  text,
    locale                text NOT NULL,
    is_propina_applicable boolean NOT NULL, -- the 10 % service charge of Law 16-92, article 228
    default_checkout_mode text NOT NULL CHECK (default_checkout_mode IN ('itemized', 'grouped', 'amount_only')),
    payment_window        bigint NOT NULL CHECK (payment_window > 0), -- time until an unpaid payment expires
    is_split_enabled      boolean NOT NULL,
    version               bigint NOT NULL,
    updated_at            bigint NOT NULL,
    PRIMARY KEY (merchant, mode)
);
-- The e-CF inbox finds the tenants of the taxpayer that a document is addressed to.
CREATE INDEX profiles_by_rnc ON profiles (rnc, mode);

-- Price of another currency in Dominican pesos. A sale stores the rate that applied to it; these rates are for the
-- sales to come. A later rate of the same day replaces the earlier one, which stays.
CREATE TABLE exchange_rates (
    merchant text NOT NULL REFERENCES merchants,
    mode     text NOT NULL CHECK (mode IN ('test', 'live')),
    currency text NOT NULL CHECK (currency IN ('USD')),
    day      text NOT NULL, -- first day on which the rate applies
    set_at   bigint NOT NULL,
    ratio    bigint NOT NULL CHECK (ratio BETWEEN 10000 AND 9999999), -- ten-thousandths of a peso
    source   text NOT NULL, -- the bank or publication that the rate is taken from
    last_day text NOT NULL CHECK (last_day >= day),
    PRIMARY KEY (merchant, mode, currency, day, set_at)
);
CREATE TRIGGER exchange_rates_immutable BEFORE UPDATE OR DELETE ON exchange_rates
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Keys ----------------------------------------------------------------------------------------------------------------

-- A published constant, encrypted with the master key: a process compares it at its start, and refuses another key.
CREATE TABLE key_checks (
    id     bigint PRIMARY KEY CHECK (id = 1),
    sealed bytea NOT NULL
);

-- API keys of merchants. The digest alone identifies the key, and with it the tenant.
CREATE TABLE merchant_keys (
    digest     bytea PRIMARY KEY CHECK (octet_length(digest) = 32), -- SHA-256
    merchant   text NOT NULL REFERENCES merchants,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    role       text NOT NULL CHECK (role IN ('standard', 'admin')),
    accounts   text NOT NULL, -- JSON list of the accounts that the key is restricted to; empty: every account
    hint       text NOT NULL, -- first characters of the key, to recognize it by
    created_at bigint NOT NULL,
    ends_at    bigint -- NULL: the key does not expire
);
CREATE INDEX merchant_keys_by_tenant ON merchant_keys (merchant, mode, created_at);
CREATE UNIQUE INDEX merchant_keys_tenant_digest ON merchant_keys (merchant, mode, digest);

-- Last use of each API key, accurate to about a minute. Separate from the keys, because every request reads those and
-- must not wait for a writer.
CREATE TABLE merchant_key_uses (
    merchant     text NOT NULL,
    mode         text NOT NULL,
    digest       bytea NOT NULL,
    last_used_at bigint NOT NULL,
    PRIMARY KEY (merchant, mode, digest),
    FOREIGN KEY (merchant, mode, digest) REFERENCES merchant_keys (merchant, mode, digest)
);

-- Idempotency keys of requests, with the response to replay. An empty `payment` means that the key is unique in the
-- whole tenant, otherwise among the requests about that payment.
CREATE TABLE idempotency_keys (
    merchant      text NOT NULL,
    mode          text NOT NULL CHECK (mode IN ('test', 'live')),
    payment       text NOT NULL,
    digest        bytea NOT NULL CHECK (octet_length(digest) = 32), -- SHA-256 of the key
    fingerprint   bytea NOT NULL CHECK (octet_length(fingerprint) = 32), -- keyed digest of the request, without card
    first_used_at bigint NOT NULL,
    epoch         bigint NOT NULL, -- number of the holder: a request that takes the key over increases it
    state         text NOT NULL CHECK (state IN ('in_progress', 'reopened', 'completed', 'expired')),
    lease_until   bigint,
    attempt       text, -- the payment attempt that the holder has committed
    status        bigint, -- HTTP status of the stored response
    etag          text,
    request       text, -- id of the request that the stored response belongs to
    sealed_body   bytea,
    PRIMARY KEY (merchant, mode, payment, digest),

    -- The parts of a response exist exactly while the response may be replayed.
    CHECK ((lease_until IS NOT NULL) = (state = 'in_progress')),
    CHECK (attempt IS NULL OR state = 'in_progress'),
    CHECK ((state = 'completed') = (status IS NOT NULL)),
    CHECK ((state = 'completed') = (request IS NOT NULL)),
    CHECK ((state = 'completed') = (sealed_body IS NOT NULL)),
    CHECK (etag IS NULL OR state = 'completed')
);
-- The sweep serves every merchant, oldest keys first.
CREATE INDEX idempotency_keys_completed ON idempotency_keys (first_used_at) WHERE state = 'completed';
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (first_used_at);
-- A process that has the database for itself ends the leases of the process before it.
CREATE INDEX idempotency_keys_in_progress ON idempotency_keys (lease_until) WHERE state = 'in_progress';

-- Certificates with which documents are signed.
CREATE TABLE certificates (
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    id          text NOT NULL,
    subject     text NOT NULL,
    not_before  bigint NOT NULL,
    not_after   bigint NOT NULL,
    certificate bytea NOT NULL, -- DER, X.509
    sealed_key  bytea NOT NULL,
    imported_at bigint NOT NULL,
    PRIMARY KEY (merchant, mode, id)
);
CREATE INDEX certificates_by_age ON certificates (merchant, mode, imported_at DESC, id DESC);

-- Accounts ------------------------------------------------------------------------------------------------------------

-- Accounts of merchants at card providers.
CREATE TABLE accounts (
    merchant           text NOT NULL REFERENCES merchants,
    mode               text NOT NULL CHECK (mode IN ('test', 'live')),
    id                 text NOT NULL,
    provider           text NOT NULL,
    venue_reference    text,
    lifecycle          text NOT NULL CHECK (lifecycle IN ('pending', 'active', 'suspended', 'closed')),
    credential_version bigint NOT NULL, -- version of the credentials in force; 0: there are none yet
    abilities          text NOT NULL, -- JSON: currencies, card brands, 3-D Secure programs, wallets
    created_at         bigint NOT NULL,
    probe              text, -- JSON: result of the last test of the credentials at the provider; NULL: never tested
    probe_due_at       bigint,
    notified_readiness text NOT NULL DEFAULT '', -- readiness in the last event about the account; empty: no event yet
    readiness_due_at   bigint NOT NULL DEFAULT 0, -- next comparison of the readiness with the last event
    PRIMARY KEY (merchant, mode, id)
);
CREATE INDEX accounts_probe_due ON accounts (probe_due_at) WHERE probe_due_at IS NOT NULL;
CREATE INDEX accounts_readiness_due ON accounts (readiness_due_at);

-- Credentials of accounts. Those in force have the `credential_version` of the account.
CREATE TABLE account_credentials (
    merchant text NOT NULL,
    mode     text NOT NULL,
    account  text NOT NULL,
    version  bigint NOT NULL CHECK (version > 0),
    sealed   bytea NOT NULL,
    set_at   bigint NOT NULL,
    PRIMARY KEY (merchant, mode, account, version),
    FOREIGN KEY (merchant, mode, account) REFERENCES accounts
);
-- The adapter of a provider knows the account, and not its tenant.
CREATE INDEX account_credentials_by_account ON account_credentials (account, version DESC);

-- Fiscal numbers ------------------------------------------------------------------------------------------------------

-- Ranges of e-NCF that DGII has authorized. A number belongs to the issuer, whichever merchant requests it: hence keys
-- without a tenant. (The numbers that documents have are in `fiscal_numbers`.)
CREATE TABLE number_ranges (
    issuer      text NOT NULL, -- RNC
    environment text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    kind        text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government')),
    first       bigint NOT NULL CHECK (first > 0),
    last        bigint NOT NULL CHECK (last BETWEEN first AND 9999999999),
    next        bigint NOT NULL CHECK (next BETWEEN first AND last + 1), -- `last + 1`: the range is used up
    valid_until text CHECK (char_length(valid_until) = 10), -- last day; NULL: the numbers do not expire
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    created_at  bigint NOT NULL,
    PRIMARY KEY (issuer, environment, kind, first)
);
CREATE INDEX number_ranges_by_tenant ON number_ranges (merchant, mode, environment, created_at, first);

-- Annulments (ANECF) of numbers that were never assigned. The numbers are removed from their range.
CREATE TABLE annulments (
    merchant           text NOT NULL REFERENCES merchants,
    mode               text NOT NULL CHECK (mode IN ('test', 'live')),
    id                 text NOT NULL,
    issuer             text NOT NULL, -- RNC
    environment        text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    kind               text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government')),
    range_first        bigint NOT NULL CHECK (range_first > 0), -- `first` of the range
    first              bigint NOT NULL CHECK (first >= range_first),
    last               bigint NOT NULL CHECK (last BETWEEN first AND 9999999999),
    requested_at       bigint NOT NULL,
    state              text NOT NULL CHECK (state IN ('unresolved', 'annulled', 'refused')),
    resolved_at        bigint,
    authority_messages text NOT NULL, -- JSON: code and text of each message of DGII
    xml                bytea NOT NULL, -- the signed request
    PRIMARY KEY (merchant, mode, id),
    CHECK ((resolved_at IS NULL) = (state = 'unresolved'))
);
CREATE INDEX annulments_by_issuer ON annulments (issuer, environment, kind, first);
-- The signed request and its numbers are final; the response of DGII may change.
CREATE TRIGGER annulments_immutable BEFORE UPDATE ON annulments FOR EACH ROW
    WHEN (OLD.xml <> NEW.xml OR OLD.first <> NEW.first OR OLD.last <> NEW.last OR OLD.kind <> NEW.kind)
    EXECUTE FUNCTION refuse_change();
CREATE TRIGGER annulments_undeletable BEFORE DELETE ON annulments
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Ranges that overlap would assign a number twice, and an annulled number must not be assigned again. The lock makes
-- two concurrent inserts see each other.
CREATE FUNCTION refuse_overlap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext(NEW.issuer), hashtext(NEW.environment || NEW.kind));
    IF EXISTS (
        SELECT FROM number_ranges
        WHERE issuer = NEW.issuer AND environment = NEW.environment AND kind = NEW.kind
            AND first <= NEW.last AND last >= NEW.first
    ) OR EXISTS (
        SELECT FROM annulments
        WHERE issuer = NEW.issuer AND environment = NEW.environment AND kind = NEW.kind
            AND first <= NEW.last AND last >= NEW.first
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'exists';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER number_ranges_no_overlap BEFORE INSERT ON number_ranges
    FOR EACH ROW EXECUTE FUNCTION refuse_overlap();

-- Payments ------------------------------------------------------------------------------------------------------------

CREATE TABLE payments (
    merchant              text NOT NULL,
    mode                  text NOT NULL CHECK (mode IN ('test', 'live')),
    id                    text NOT NULL,
    account               text NOT NULL,
    provider              text NOT NULL,
    document              text NOT NULL, -- id in `fiscal_documents`
    amount                bigint NOT NULL CHECK (amount > 0),
    currency              text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    sale_reference        text NOT NULL CHECK (char_length(sale_reference) BETWEEN 1 AND 128),
    details               text NOT NULL, -- JSON: what is fixed when the payment is created
    checkout_reference    text NOT NULL, -- credential of the receipt page
    checkout_link         text NOT NULL UNIQUE, -- secret in the address of the checkout page
    created_at            bigint NOT NULL,
    voluntary_tip         bigint NOT NULL CHECK (voluntary_tip >= 0),
    expires_at            bigint NOT NULL,
    method                text, -- JSON: the card; NULL: none submitted yet
    attempts              bigint NOT NULL CHECK (attempts >= 0),
    status                text NOT NULL CHECK (status IN (
        'requires_customer_action', 'processing', 'partially_authorized', 'authorized', 'capturing', 'partially_paid',
        'releasing', 'verifying', 'succeeded', 'declined', 'canceled', 'expired'
    )),
    attempt               text, -- the attempt whose outcome is pending
    submitted_at          bigint,
    ended_at              bigint,
    decline_code          text,
    decline_can_try_again boolean,
    challenge             text, -- JSON: 3-D Secure challenge that the payer must complete
    verification          text, -- JSON: progress of the look-up of an attempt with an unknown outcome
    split                 text, -- JSON: the parts of a shared payment; NULL: one payer. With a split, `status`,
                                -- `submitted_at` and `ended_at` are computed from the parts
    orphans               text, -- JSON: attempts that the payment has continued without, and the number of cards that
                                -- were not submitted. Orphans are reconciled even after the payment has ended
    updated_at            bigint NOT NULL,
    version               bigint NOT NULL,
    due_at                bigint,
    lease_until           bigint,
    event_sequence        bigint NOT NULL, -- sequence of the newest event
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, account) REFERENCES accounts,

    -- The facts of a stage exist exactly while the payment is in it. The facts of one payer are columns; those of
    -- several payers are in their parts.
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
        -- A worker continues every payment that has not ended, and one that has ended only for its orphans.
        AND (due_at IS NOT NULL OR ended_at IS NOT NULL)
        AND (due_at IS NULL OR ended_at IS NULL OR orphans IS NOT NULL)
    END),
    CHECK ((decline_code IS NULL) = (decline_can_try_again IS NULL)),
    -- A payment that is declined and tried again keeps the decline until the next outcome.
    CHECK (CASE status WHEN 'declined' THEN decline_code IS NOT NULL
                       WHEN 'processing' THEN true
                       ELSE decline_code IS NULL END)
);
CREATE UNIQUE INDEX payments_by_checkout_reference ON payments (checkout_reference);
CREATE INDEX payments_newest ON payments (merchant, mode, created_at DESC, id DESC);
CREATE INDEX payments_by_status ON payments (merchant, mode, status, created_at DESC, id DESC);
CREATE INDEX payments_by_reference ON payments (merchant, mode, sale_reference, created_at DESC, id DESC);
CREATE INDEX payments_by_account ON payments (merchant, mode, account, created_at DESC, id DESC);
-- Workers serve every merchant, oldest work first.
CREATE INDEX payments_due ON payments (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payments_leased ON payments (lease_until) WHERE lease_until IS NOT NULL;
-- The metrics read the age of the oldest of these.
CREATE INDEX payments_verifying ON payments (submitted_at) WHERE status = 'verifying';
CREATE INDEX payments_partially_paid ON payments (ended_at) WHERE status = 'partially_paid' AND ended_at IS NOT NULL;

CREATE FUNCTION refuse_reopening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a payment in a final status never changes its status';
END
$$;
-- An expired split can be renewed.
CREATE TRIGGER payments_final_status BEFORE UPDATE ON payments FOR EACH ROW
    WHEN (NEW.status <> OLD.status AND (OLD.status IN ('succeeded', 'canceled')
        OR (OLD.status = 'expired' AND (OLD.split IS NULL OR NEW.split IS NULL))))
    EXECUTE FUNCTION refuse_reopening();

-- Credentials of the pages of a payment. The digest alone identifies the token, and with it the payment.
CREATE TABLE checkout_tokens (
    digest          bytea PRIMARY KEY CHECK (octet_length(digest) = 32), -- SHA-256
    merchant        text NOT NULL,
    mode            text NOT NULL,
    payment         text NOT NULL,
    scope           text NOT NULL CHECK (scope IN ('pay', 'organizer', 'receipt')),
    expires_at      bigint NOT NULL,
    -- Session of the visitor of a link; NULL: the token was made with a key of the merchant. A session that has never
    -- sent a form is idle: it makes room for new ones, and is deleted soon.
    session         text CHECK (session IN ('idle', 'active')),
    session_seen_at bigint -- last request of an idle session
        CHECK ((session_seen_at IS NOT NULL) = (session IS NOT NULL AND session = 'idle')),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments
);
CREATE INDEX checkout_tokens_by_payment ON checkout_tokens (merchant, mode, payment);
CREATE INDEX checkout_tokens_by_age ON checkout_tokens (expires_at);
CREATE INDEX checkout_tokens_idle ON checkout_tokens (session_seen_at) WHERE session_seen_at IS NOT NULL;

-- Attempts ------------------------------------------------------------------------------------------------------------

-- Requests to card providers. Each row is committed before its request is sent.
CREATE TABLE attempts (
    merchant           text NOT NULL,
    mode               text NOT NULL,
    id                 text NOT NULL,
    payment            text NOT NULL,
    account            text NOT NULL,
    number             bigint NOT NULL CHECK (number >= 0), -- counted per payment, or per part of a split
    part               bigint CHECK (part BETWEEN 1 AND 10), -- ordinal of the part; NULL: no split
    kind               text NOT NULL CHECK (kind IN ('opening', 'sale', 'authorization', 'capture', 'release')),
    amount             bigint NOT NULL CHECK (amount > 0),
    currency           text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    card               text, -- JSON: brand and last digits
    started_at         bigint NOT NULL,
    state              text NOT NULL CHECK (state IN (
        'open', 'unknown', 'approved', 'declined', 'not_submitted', 'not_happened', 'reversed'
    )),
    decline_code       text,
    provider_reference text, -- transaction id of the provider
    challenge_link     text, -- secret in the address to which the issuer returns the payer
    updated_at         bigint NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments,
    CHECK ((decline_code IS NOT NULL) = (state = 'declined')),
    CHECK ((part IS NULL) = (kind IN ('opening', 'sale')))
);
-- A part counts its cards from 1 again after the payment is split anew, and a capture has the number of its card.
CREATE UNIQUE INDEX attempts_by_number ON attempts (merchant, mode, payment, number) WHERE part IS NULL;
-- While one request for a payment, or a part, is open or its outcome unknown, there is no other. The authorization that
-- replaces one that expires is excepted: it must not block a capture, a release, or another card. Only an attempt with
-- the payer's own card has a challenge link.
CREATE UNIQUE INDEX attempts_one_open ON attempts (merchant, mode, payment, coalesce(part, 0))
    WHERE state IN ('open', 'unknown') AND (kind <> 'authorization' OR challenge_link IS NOT NULL);
-- No part is captured twice, and no payment is charged twice.
CREATE UNIQUE INDEX attempts_captured_once ON attempts (merchant, mode, payment, coalesce(part, 0))
    WHERE state = 'approved' AND kind IN ('sale', 'capture');
-- A transaction of a provider approves one attempt: the same reference for another attempt is not trusted.
CREATE UNIQUE INDEX attempts_provider_transactions ON attempts (merchant, mode, account, provider_reference)
    WHERE state = 'approved' AND kind IN ('sale', 'authorization') AND provider_reference IS NOT NULL;
-- Not unique: a reference that a provider repeats must never prevent that the outcome of a charge is stored.
CREATE INDEX attempts_by_reference ON attempts (merchant, mode, account, kind, provider_reference)
    WHERE provider_reference IS NOT NULL;
CREATE UNIQUE INDEX attempts_by_challenge_link ON attempts (challenge_link);

-- Returns of payers from the 3-D Secure pages of issuers, counted by kind and by effect.
CREATE TABLE challenge_returns (
    merchant    text NOT NULL,
    mode        text NOT NULL,
    attempt     text NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('notice', 'look', 'answer')),
    is_applied  boolean NOT NULL, -- false: the return was repeated or late, and changed nothing
    occurrences bigint NOT NULL CHECK (occurrences > 0),
    first_at    bigint NOT NULL,
    last_at     bigint NOT NULL,
    PRIMARY KEY (merchant, mode, attempt, kind, is_applied),
    FOREIGN KEY (merchant, mode, attempt) REFERENCES attempts (merchant, mode, id)
);

-- Cards stored at providers, while a split may outlast the authorizations of issuers: the tokens of the providers.
CREATE TABLE stored_cards (
    merchant text NOT NULL REFERENCES merchants,
    mode     text NOT NULL CHECK (mode IN ('test', 'live')),
    attempt  text NOT NULL,
    payment  text NOT NULL,
    account  text NOT NULL,
    provider text NOT NULL CHECK (provider IN ('azul', 'simulator')),
    sealed   bytea NOT NULL,
    due_at   bigint NOT NULL, -- next check whether the card can be deleted at the provider
    PRIMARY KEY (merchant, mode, attempt)
);
CREATE INDEX stored_cards_due ON stored_cards (due_at);

-- Fiscal documents ----------------------------------------------------------------------------------------------------

-- One e-CF per payment, from the request until DGII has accepted it.
CREATE TABLE fiscal_documents (
    merchant       text NOT NULL,
    mode           text NOT NULL CHECK (mode IN ('test', 'live')),
    id             text NOT NULL,
    payment        text NOT NULL,
    environment    text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')), -- of DGII
    issuer         text NOT NULL, -- RNC
    currency       text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    terms          text NOT NULL, -- JSON: what is fixed when the payment is created
    created_at     bigint NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government')),
    invoice_number text NOT NULL CHECK (char_length(invoice_number) BETWEEN 1 AND 20),
    order_number   text NOT NULL CHECK (char_length(order_number) BETWEEN 1 AND 20),
    total          bigint NOT NULL CHECK (total >= 0),
    content        text NOT NULL, -- JSON: buyer, lines, taxes
    revision       bigint NOT NULL CHECK (revision > 0), -- increased by each correction
    delivery       text NOT NULL, -- JSON: the newest e-mail with the document, as the API shows it
    status         text NOT NULL CHECK (status IN (
        'requested', 'issuing', 'delayed', 'issued', 'rejected', 'canceled'
    )),
    stage          text, -- JSON: the facts of the status
    fiscal_number  text, -- e-NCF
    updated_at     bigint NOT NULL,
    version        bigint NOT NULL,
    due_at         bigint,
    lease_until    bigint,
    -- Service of DGII that a signed document waits for, oldest first, while the service does not accept documents.
    queue          text CHECK (queue IN ('documents', 'summaries')),
    queued_at      bigint
        CHECK ((queued_at IS NULL) = (queue IS NULL))
        CHECK (queued_at IS NULL OR status IN ('issuing', 'delayed')),
    -- Next rendering of the PDF of an issued document; NULL: it is rendered.
    render_at      bigint CHECK (render_at IS NULL OR status = 'issued'),
    -- Code of the problem of a delayed document. A change of the setup that solves it makes the document due.
    problem        text CHECK (problem IS NULL OR status = 'delayed'),
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
CREATE INDEX fiscal_documents_by_invoice
    ON fiscal_documents (merchant, mode, invoice_number, created_at DESC, payment DESC);
CREATE INDEX fiscal_documents_by_order
    ON fiscal_documents (merchant, mode, order_number, created_at DESC, payment DESC);
-- Buyers name a document by its number when they approve or reject it.
CREATE INDEX fiscal_documents_issued_by_number ON fiscal_documents (merchant, mode, issuer, environment, fiscal_number)
    WHERE status = 'issued';
CREATE INDEX fiscal_documents_rejected ON fiscal_documents (merchant, mode, created_at, id) WHERE status = 'rejected';
CREATE INDEX fiscal_documents_by_problem ON fiscal_documents (merchant, mode, problem) WHERE problem IS NOT NULL;
CREATE INDEX fiscal_documents_queued
    ON fiscal_documents (merchant, mode, issuer, environment, queue, queued_at, id) WHERE queued_at IS NOT NULL;
CREATE INDEX fiscal_documents_due ON fiscal_documents (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX fiscal_documents_leased ON fiscal_documents (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX fiscal_documents_render_due ON fiscal_documents (render_at) WHERE render_at IS NOT NULL;
-- The metrics read the age of the oldest of these.
CREATE INDEX fiscal_documents_unissued ON fiscal_documents (created_at) WHERE status IN ('issuing', 'delayed');

-- Every e-NCF that was ever assigned, and the revision of the document that has it.
CREATE TABLE fiscal_numbers (
    issuer      text NOT NULL, -- RNC
    environment text NOT NULL,
    kind        text NOT NULL,
    sequence    bigint NOT NULL CHECK (sequence BETWEEN 1 AND 9999999999),
    merchant    text NOT NULL,
    mode        text NOT NULL,
    document    text NOT NULL,
    revision    bigint NOT NULL CHECK (revision > 0),
    valid_until text CHECK (char_length(valid_until) = 10),
    issue_date  text NOT NULL CHECK (char_length(issue_date) = 10),
    assigned_at bigint NOT NULL,
    PRIMARY KEY (issuer, environment, kind, sequence),
    UNIQUE (merchant, mode, document, revision),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents
);
CREATE TRIGGER fiscal_numbers_immutable BEFORE UPDATE OR DELETE ON fiscal_numbers
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Earlier revisions of documents, each with its content and the reason why it was replaced.
CREATE TABLE fiscal_revisions (
    merchant    text NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    document    text NOT NULL,
    revision    bigint NOT NULL CHECK (revision > 0),
    replaced_at bigint NOT NULL,
    state       text NOT NULL, -- JSON
    PRIMARY KEY (merchant, mode, document, revision),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents
);
CREATE TRIGGER fiscal_revisions_immutable BEFORE UPDATE OR DELETE ON fiscal_revisions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Files of documents: the signed XML and the PDF.
CREATE TABLE artifacts (
    merchant text NOT NULL,
    mode     text NOT NULL,
    document text NOT NULL,
    revision bigint NOT NULL CHECK (revision > 0),
    kind     text NOT NULL CHECK (kind IN ('signed_document', 'signed_summary', 'printed_representation')),
    sha256   bytea NOT NULL CHECK (octet_length(sha256) = 32),
    bytes    bytea NOT NULL,
    PRIMARY KEY (merchant, mode, document, revision, kind),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents
);
CREATE TRIGGER artifacts_immutable BEFORE UPDATE OR DELETE ON artifacts
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- LZ4 compresses these faster than the default, pglz, which is slowest with data that does not shrink, as a PDF. A
-- server that was built without LZ4 uses pglz.
DO $$
BEGIN
    EXECUTE 'ALTER TABLE artifacts ALTER COLUMN bytes SET COMPRESSION lz4';
EXCEPTION
    WHEN feature_not_supported OR syntax_error THEN NULL;
END
$$;

-- Events --------------------------------------------------------------------------------------------------------------

-- Events of payments and their documents.
CREATE TABLE events (
    merchant        text NOT NULL,
    mode            text NOT NULL,
    payment         text NOT NULL,
    sequence        bigint NOT NULL CHECK (sequence > 0), -- counted per payment
    kind            text NOT NULL,
    previous_status text,
    part            bigint CHECK (part BETWEEN 1 AND 10), -- ordinal of the part; NULL: the event concerns the payment
    request         text, -- id of the request that caused the event; NULL: a worker did
    occurred_at     bigint NOT NULL,
    snapshot        text, -- JSON: payment and document right after the event
    PRIMARY KEY (merchant, mode, payment, sequence),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments
);
CREATE INDEX events_newest ON events (merchant, mode, occurred_at DESC, payment DESC, sequence DESC);

-- Webhooks ------------------------------------------------------------------------------------------------------------

CREATE TABLE webhook_endpoints (
    merchant        text NOT NULL REFERENCES merchants,
    mode            text NOT NULL CHECK (mode IN ('test', 'live')),
    id              text NOT NULL,
    url             text NOT NULL,
    enabled_events  text NOT NULL, -- JSON list of event kinds, or patterns of them
    description     text,
    disabled        text CHECK (disabled IN ('by_merchant', 'gone', 'failing')), -- the reason; NULL: it is enabled
    sealed_secret   bytea NOT NULL,
    previous_secret bytea, -- sealed; signs as well as the new secret until `previous_until`
    previous_until  bigint,
    failing_since   bigint, -- first failure since the last success
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    version         bigint NOT NULL,
    removed_at      bigint, -- a removed endpoint stays for the rows that refer to it
    PRIMARY KEY (merchant, mode, id),
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
);
CREATE INDEX webhook_endpoints_by_age ON webhook_endpoints (merchant, mode, created_at, id);
CREATE INDEX webhook_endpoints_active ON webhook_endpoints (merchant, mode, id)
    WHERE disabled IS NULL AND removed_at IS NULL;
CREATE INDEX webhook_endpoints_previous_secret ON webhook_endpoints (previous_until) WHERE previous_until IS NOT NULL;

-- Number of endpoints of each tenant: concurrent registrations wait for this row, and so keep the limit.
CREATE TABLE webhook_endpoint_counts (
    merchant  text NOT NULL REFERENCES merchants,
    mode      text NOT NULL CHECK (mode IN ('test', 'live')),
    endpoints bigint NOT NULL CHECK (endpoints >= 0),
    PRIMARY KEY (merchant, mode)
);

-- Events of webhook endpoints and accounts.
CREATE TABLE account_events (
    merchant    text NOT NULL,
    mode        text NOT NULL,
    id          text NOT NULL,
    kind        text NOT NULL,
    endpoint    text,
    account     text,
    request     text, -- id of the request that caused the event; NULL: a worker did
    occurred_at bigint NOT NULL,
    snapshot    text NOT NULL, -- JSON: the endpoint or account right after the event
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, endpoint) REFERENCES webhook_endpoints,
    FOREIGN KEY (merchant, mode, account) REFERENCES accounts,
    CHECK ((endpoint IS NULL) <> (account IS NULL))
);
CREATE INDEX account_events_newest ON account_events (merchant, mode, occurred_at DESC, id DESC);

-- One event for one endpoint. `subject` and `sequence` identify the event: in `events` by payment and sequence, in
-- `account_events` by id and 0.
CREATE TABLE webhook_deliveries (
    merchant        text NOT NULL,
    mode            text NOT NULL,
    endpoint        text NOT NULL,
    occurred_at     bigint NOT NULL, -- of the event
    subject         text NOT NULL,
    sequence        bigint NOT NULL CHECK (sequence >= 0),
    kind            text NOT NULL,
    attempts        bigint NOT NULL CHECK (attempts >= 0),
    status          text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    due_at          bigint,
    lease_until     bigint,
    ended_at        bigint,
    last_attempt_at bigint,
    last_result     text, -- HTTP status, or code of the failure
    last_duration   bigint,
    PRIMARY KEY (merchant, mode, endpoint, occurred_at, subject, sequence),
    FOREIGN KEY (merchant, mode, endpoint) REFERENCES webhook_endpoints,
    CHECK ((due_at IS NOT NULL) = (status = 'pending')),
    CHECK ((ended_at IS NULL) = (status = 'pending')),
    CHECK (lease_until IS NULL OR status = 'pending'),
    CHECK ((last_attempt_at IS NULL) = (last_result IS NULL) AND (last_attempt_at IS NULL) = (last_duration IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (merchant, mode, endpoint, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (merchant, mode, endpoint, occurred_at)
    WHERE due_at IS NOT NULL;
-- Counts the requests in flight to an endpoint.
CREATE INDEX webhook_deliveries_leased ON webhook_deliveries (merchant, mode, endpoint, lease_until)
    WHERE lease_until IS NOT NULL;

-- Returns how many more requests to an endpoint may be in flight. The lock makes dispatchers claim one after another.
-- Each sees the claims of the one before, although its own statement began earlier. Without the lock, two that count at
-- the same time would both find every slot free.
CREATE FUNCTION free_delivery_slots(
    merchant_id text, tenant_mode text, endpoint_id text, now_at bigint, max_in_flight bigint
) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7301844519426064);
    RETURN (
        SELECT greatest(0, max_in_flight - count(*)) FROM webhook_deliveries delivery
        WHERE delivery.merchant = merchant_id AND delivery.mode = tenant_mode AND delivery.endpoint = endpoint_id
            AND delivery.lease_until > now_at
    );
END
$$;

-- E-mail --------------------------------------------------------------------------------------------------------------

-- E-mails with documents. Number 0 was requested together with the document, later numbers by the merchant or payer.
-- An e-mail waits for its document to be issued, and is canceled with it.
CREATE TABLE document_emails (
    merchant         text NOT NULL,
    mode             text NOT NULL,
    document         text NOT NULL,
    number           bigint NOT NULL CHECK (number >= 0),
    email            text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 320),
    requested_at     bigint NOT NULL,
    status           text NOT NULL CHECK (status IN ('waiting_for_document', 'queued', 'sent', 'failed', 'canceled')),
    status_at        bigint, -- when the status was reached
    problem          text,
    attempts         bigint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    unknown_outcomes bigint NOT NULL DEFAULT 0 CHECK (unknown_outcomes >= 0), -- attempts without a response
    -- Written before the e-mail is sent: after a crash the outcome of the attempt is unknown.
    is_sending       boolean NOT NULL DEFAULT false CHECK (NOT is_sending OR status = 'queued'),
    due_at           bigint CHECK (due_at IS NULL OR status IN ('waiting_for_document', 'queued')),
    lease_until      bigint,
    version          bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (merchant, mode, document, number),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents,
    CHECK ((status_at IS NOT NULL) = (status IN ('queued', 'sent', 'failed'))),
    CHECK ((problem IS NOT NULL) = (status = 'failed')),
    CHECK (due_at IS NOT NULL OR status <> 'queued')
);
CREATE INDEX document_emails_due ON document_emails (due_at) WHERE due_at IS NOT NULL;

-- E-mails to merchants about endpoints that were disabled. `event` is the event about it, and identifies the e-mail.
-- Without an address in the profile the e-mail has failed from the start.
CREATE TABLE endpoint_disabled_emails (
    merchant         text NOT NULL,
    mode             text NOT NULL,
    event            text NOT NULL,
    endpoint         text NOT NULL,
    occurred_at      bigint NOT NULL, -- when the endpoint was disabled
    email            text CHECK (char_length(email) BETWEEN 3 AND 320),
    locale           text NOT NULL,
    failing_since    bigint NOT NULL,
    last_result      text NOT NULL, -- HTTP status, or code of the failure
    snapshot         text NOT NULL, -- JSON: the endpoint when it was disabled
    status           text NOT NULL CHECK (status IN ('waiting_for_document', 'queued', 'sent', 'failed')),
    status_at        bigint,
    problem          text,
    attempts         bigint NOT NULL CHECK (attempts >= 0),
    unknown_outcomes bigint NOT NULL CHECK (unknown_outcomes >= 0),
    is_sending       boolean NOT NULL CHECK (NOT is_sending OR status = 'queued'),
    due_at           bigint,
    lease_until      bigint,
    version          bigint NOT NULL,
    PRIMARY KEY (merchant, mode, event),
    FOREIGN KEY (merchant, mode, endpoint) REFERENCES webhook_endpoints,
    CHECK (email IS NOT NULL OR status = 'failed'),
    CHECK ((due_at IS NOT NULL) = (status IN ('waiting_for_document', 'queued'))),
    CHECK ((status_at IS NOT NULL) = (status IN ('queued', 'sent', 'failed'))),
    CHECK ((problem IS NOT NULL) = (status = 'failed'))
);
CREATE INDEX endpoint_disabled_emails_due ON endpoint_disabled_emails (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX endpoint_disabled_emails_failed ON endpoint_disabled_emails (occurred_at) WHERE status = 'failed';
CREATE INDEX endpoint_disabled_emails_by_age ON endpoint_disabled_emails (occurred_at);

-- e-CF inbox ----------------------------------------------------------------------------------------------------------

-- e-CF that other taxpayers have sent, with the acknowledgement that was returned to them.
CREATE TABLE received_documents (
    merchant        text NOT NULL REFERENCES merchants,
    mode            text NOT NULL CHECK (mode IN ('test', 'live')),
    environment     text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    sender          text NOT NULL CHECK (length(sender) IN (9, 11)), -- RNC or cédula
    number          text NOT NULL CHECK (length(number) = 13), -- e-NCF
    ecf_type        bigint NOT NULL CHECK (ecf_type BETWEEN 31 AND 47),
    recipient       text NOT NULL,
    issue_date      text NOT NULL,
    total           bigint NOT NULL CHECK (total >= 0),
    received_at     bigint NOT NULL,
    xml             bytea NOT NULL, -- exactly as received
    acknowledgement text NOT NULL, -- signed XML (ARECF)
    PRIMARY KEY (merchant, mode, environment, sender, number)
);
-- The limits of the inbox count what has arrived lately.
CREATE INDEX received_documents_by_time ON received_documents (merchant, mode, received_at);
CREATE TRIGGER received_documents_immutable BEFORE UPDATE OR DELETE ON received_documents
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Commercial approvals (ACECF) of our documents by their buyers.
CREATE TABLE commercial_approvals (
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    document    text NOT NULL,
    issuer      text NOT NULL,
    number      text NOT NULL, -- e-NCF
    issue_date  text NOT NULL,
    total       bigint NOT NULL,
    buyer       text NOT NULL, -- RNC or cédula
    is_accepted boolean NOT NULL,
    reason      text,
    decided_at  text NOT NULL, -- `YYYY-MM-DDThh:mm:ss`, the time without a zone in the XML of the buyer
    received_at bigint NOT NULL,
    xml         bytea NOT NULL, -- exactly as received
    PRIMARY KEY (merchant, mode, document),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents (merchant, mode, id),
    CHECK (reason IS NULL OR NOT is_accepted)
);
CREATE TRIGGER commercial_approvals_immutable BEFORE UPDATE OR DELETE ON commercial_approvals
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Taxpayer register ---------------------------------------------------------------------------------------------------

-- Copies of the public register of taxpayers that DGII publishes. They belong to no tenant: every tenant reads them.
CREATE TABLE register_copies (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    as_of       bigint NOT NULL, -- when DGII published it
    started_at  bigint NOT NULL,
    is_complete boolean NOT NULL DEFAULT false -- an incomplete copy is not read
);

CREATE TABLE taxpayers (
    copy       bigint NOT NULL, -- id in `register_copies`
    tax_id     text NOT NULL,
    legal_name text NOT NULL,
    status     text NOT NULL, -- in the words of DGII, for example `ACTIVO`
    PRIMARY KEY (copy, tax_id)
);

-- Row security --------------------------------------------------------------------------------------------------------

-- A statement sees the rows of the tenant that its session names with `cobro.merchant` and `cobro.mode`. The setting
-- `cobro.access_scope` shows more than that for one purpose: the rows that a credential gives access to, or the rows of
-- every tenant that a worker needs to find. A session without settings sees no row. The owner of the tables is
-- restricted too; only a superuser, or a role with BYPASSRLS, is not. A migration that changes rows of every tenant
-- lifts FORCE ROW LEVEL SECURITY for the time of the change.

SELECT isolate_tenants(format('%I.%I', table_schema, table_name))
FROM information_schema.columns
WHERE table_schema = current_schema AND column_name IN ('merchant', 'mode')
GROUP BY table_schema, table_name
HAVING count(*) = 2;

ALTER TABLE merchants ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON merchants USING (id = current_setting('cobro.merchant', true));

-- `new_merchant`: a merchant is created with a profile for each mode.
CREATE POLICY new_merchant ON profiles FOR INSERT
    WITH CHECK (merchant = current_setting('cobro.merchant', true)
        AND current_setting('cobro.access_scope', true) = 'new_merchant');

-- `key:`, `token:`, `link:`, `receipt:`, `challenge:`: the setting contains the credential, and shows the rows that the
-- credential gives access to.
CREATE POLICY by_credential ON merchant_keys FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'key:' || encode(digest, 'hex'));
CREATE POLICY by_credential ON merchants FOR SELECT
    USING (current_setting('cobro.access_scope', true) LIKE 'key:%' AND EXISTS (
        SELECT FROM merchant_keys
        WHERE merchant_keys.merchant = merchants.id
            AND current_setting('cobro.access_scope', true) = 'key:' || encode(merchant_keys.digest, 'hex')
    ));
CREATE POLICY by_credential ON checkout_tokens FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'token:' || encode(digest, 'hex'));
CREATE POLICY by_credential ON payments FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'link:' || checkout_link);
CREATE POLICY by_credential ON fiscal_documents FOR SELECT
    USING (current_setting('cobro.access_scope', true) LIKE 'link:%' AND EXISTS (
        SELECT FROM payments
        WHERE payments.merchant = fiscal_documents.merchant AND payments.mode = fiscal_documents.mode
            AND payments.id = fiscal_documents.payment
            AND current_setting('cobro.access_scope', true) = 'link:' || payments.checkout_link
    ));
CREATE POLICY by_receipt ON payments FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'receipt:' || checkout_reference);
CREATE POLICY by_receipt ON fiscal_documents FOR SELECT
    USING (current_setting('cobro.access_scope', true) LIKE 'receipt:%' AND EXISTS (
        SELECT FROM payments
        WHERE payments.merchant = fiscal_documents.merchant AND payments.mode = fiscal_documents.mode
            AND payments.id = fiscal_documents.payment
            AND current_setting('cobro.access_scope', true) = 'receipt:' || payments.checkout_reference
    ));
CREATE POLICY by_credential ON attempts FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'challenge:' || challenge_link);

-- `account:`: the adapter of a provider reads the credentials of an account.
CREATE POLICY by_account ON account_credentials FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'account:' || account);

-- `issuer:`: the ranges and annulments of one issuer must not overlap, whichever merchant has them.
CREATE POLICY by_issuer ON number_ranges FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'issuer:' || issuer);
CREATE POLICY by_issuer ON annulments FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'issuer:' || issuer);

-- `recipient:`: the e-CF inbox finds the tenants of a taxpayer.
CREATE POLICY by_recipient ON profiles FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'recipient:' || rnc);

-- `work`: workers find and lease the due rows of every tenant, and perform each step as its tenant.
CREATE POLICY due_work ON payments FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'work' AND (due_at IS NOT NULL OR lease_until IS NOT NULL));
CREATE POLICY lease_work ON payments FOR UPDATE
    USING (current_setting('cobro.access_scope', true) = 'work' AND (due_at IS NOT NULL OR lease_until IS NOT NULL))
    WITH CHECK (current_setting('cobro.access_scope', true) = 'work');
CREATE POLICY due_work ON fiscal_documents FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'work' AND (due_at IS NOT NULL OR lease_until IS NOT NULL));
CREATE POLICY lease_work ON fiscal_documents FOR UPDATE
    USING (current_setting('cobro.access_scope', true) = 'work' AND (due_at IS NOT NULL OR lease_until IS NOT NULL))
    WITH CHECK (current_setting('cobro.access_scope', true) = 'work');
CREATE POLICY due_rendering ON fiscal_documents FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'work' AND render_at IS NOT NULL);
CREATE POLICY due_work ON accounts FOR SELECT USING (current_setting('cobro.access_scope', true) = 'work');
CREATE POLICY due_work ON stored_cards FOR SELECT USING (current_setting('cobro.access_scope', true) = 'work');
CREATE POLICY due_work ON document_emails FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'work' AND due_at IS NOT NULL);
CREATE POLICY lease_work ON document_emails FOR UPDATE
    USING (current_setting('cobro.access_scope', true) = 'work' AND due_at IS NOT NULL)
    WITH CHECK (current_setting('cobro.access_scope', true) = 'work');
CREATE POLICY due_work ON endpoint_disabled_emails FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'work' AND due_at IS NOT NULL);
CREATE POLICY lease_work ON endpoint_disabled_emails FOR UPDATE
    USING (current_setting('cobro.access_scope', true) = 'work' AND due_at IS NOT NULL)
    WITH CHECK (current_setting('cobro.access_scope', true) = 'work');
CREATE POLICY due_work ON webhook_deliveries FOR SELECT
    USING (current_setting('cobro.access_scope', true) IN ('work', 'monitoring') AND due_at IS NOT NULL);
CREATE POLICY lease_work ON webhook_deliveries FOR UPDATE
    USING (current_setting('cobro.access_scope', true) = 'work' AND due_at IS NOT NULL)
    WITH CHECK (current_setting('cobro.access_scope', true) = 'work');
CREATE POLICY due_work ON webhook_endpoints FOR SELECT
    USING (current_setting('cobro.access_scope', true) IN ('work', 'monitoring')
        AND disabled IS NULL AND removed_at IS NULL);

-- `monitoring`: the metrics count the unfinished work of every tenant, and read its age.
CREATE POLICY monitoring ON payments FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'monitoring'
        AND (status IN ('verifying', 'succeeded', 'partially_paid') OR due_at IS NOT NULL));
CREATE POLICY monitoring ON fiscal_documents FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'monitoring'
        AND (status IN ('issuing', 'delayed') OR due_at IS NOT NULL));
CREATE POLICY monitoring ON endpoint_disabled_emails FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'monitoring' AND status = 'failed');

-- `all_tenants`: an operator lists the tenants, and then acts as each of them.
CREATE POLICY all_tenants ON accounts FOR SELECT USING (current_setting('cobro.access_scope', true) = 'all_tenants');
CREATE POLICY all_tenants ON number_ranges FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'all_tenants');
CREATE POLICY all_tenants ON profiles FOR SELECT USING (current_setting('cobro.access_scope', true) = 'all_tenants');

-- `key_rotation`: after a rotation of the master key every secret is encrypted again, each as its tenant.
CREATE POLICY key_rotation ON account_credentials FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'key_rotation');
CREATE POLICY key_rotation ON certificates FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'key_rotation');
CREATE POLICY key_rotation ON webhook_endpoints FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'key_rotation');
CREATE POLICY key_rotation ON stored_cards FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'key_rotation');

-- `sweep`: rows of every tenant that are older than their retention are deleted, and secrets that sign nothing any more
-- are cleared. An UPDATE needs to see its rows before and after.
CREATE POLICY sweep_select ON idempotency_keys FOR SELECT USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_update ON idempotency_keys FOR UPDATE USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_delete ON idempotency_keys FOR DELETE USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_select ON checkout_tokens FOR SELECT USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_delete ON checkout_tokens FOR DELETE USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_select ON events FOR SELECT USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_delete ON events FOR DELETE USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_select ON account_events FOR SELECT USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_delete ON account_events FOR DELETE USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_select ON webhook_deliveries FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_delete ON webhook_deliveries FOR DELETE
    USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_select ON webhook_endpoints FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_update ON webhook_endpoints FOR UPDATE
    USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_select ON endpoint_disabled_emails FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'sweep');
CREATE POLICY sweep_delete ON endpoint_disabled_emails FOR DELETE
    USING (current_setting('cobro.access_scope', true) = 'sweep');
