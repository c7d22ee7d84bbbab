-- Refunds, and the credit notes (E34) of the returned parts of documents.
--
-- SQLite can neither change a CHECK nor drop a UNIQUE: such a table is copied, dropped, created anew and filled. Rows that
-- refer to it have no target in between, so references are checked at the end of the migration.
PRAGMA defer_foreign_keys = ON;

-- Refunds -------------------------------------------------------------------------------------------------------------

-- Decisions to return money of a payment, and money that the provider returned on its own. Legs and credited lines are
-- JSON: no query asks for one of them alone, and each of their changes is one of the refund, under its one version.
CREATE TABLE refunds (
    merchant         text NOT NULL,
    mode             text NOT NULL CHECK (mode IN ('test', 'live')),
    id               text NOT NULL,
    payment          text NOT NULL,
    account          text NOT NULL,
    currency         text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    origin           text NOT NULL CHECK (origin IN ('merchant', 'provider')),
    settlement       text NOT NULL CHECK (settlement IN ('acquirer', 'outside')),
    refund_reference text CHECK (length(refund_reference) BETWEEN 1 AND 128), -- the merchant's own
    retried          text, -- the refund whose failed legs this one returns
    found_reference  text, -- the provider's name of a return that was found there
    details          text NOT NULL, -- JSON: what else is fixed when the refund is created
    created_at       integer NOT NULL,
    status           text NOT NULL CHECK (status IN (
        'processing', 'verifying', 'succeeded', 'partially_succeeded', 'failed', 'unattributed'
    )), -- computed from the legs
    scope            text CHECK (scope IN ('all', 'lines', 'amount', 'tip', 'retry')),
    reason           text,
    description      text,
    -- Requested money: of the amount of the sale, of the voluntary tip, and both with an over-returned excess.
    amount           integer NOT NULL CHECK (amount >= 0),
    voluntary_tip    integer NOT NULL CHECK (voluntary_tip >= 0),
    total            integer NOT NULL CHECK (total > 0 AND total >= amount + voluntary_tip),
    undocumented     integer NOT NULL CHECK (undocumented >= 0), -- returned before, and not in a note yet
    legs             text NOT NULL, -- JSON: the share of each charge
    planned          text NOT NULL, -- JSON: planned credits of lines
    note             text, -- JSON: lines and amounts of the note, planned ones while a leg is open
    ended_at         integer,
    updated_at       integer NOT NULL,
    version          integer NOT NULL,
    due_at           integer,
    lease_until      integer,
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments,
    FOREIGN KEY (merchant, mode, retried) REFERENCES refunds (merchant, mode, id),
    CHECK ((found_reference IS NOT NULL) = (origin = 'provider')),
    CHECK ((scope IS NULL) = (status = 'unattributed') AND (reason IS NULL) = (scope IS NULL)),
    CHECK (status <> 'unattributed' OR origin = 'provider'),
    CHECK ((due_at IS NOT NULL) = (status IN ('processing', 'verifying'))),
    CHECK ((ended_at IS NULL) = (status IN ('processing', 'verifying', 'unattributed')))
) STRICT;
-- One refund of a payment is unfinished at a time.
CREATE UNIQUE INDEX refunds_one_unfinished ON refunds (merchant, mode, payment)
    WHERE status IN ('processing', 'verifying');
-- A return at the provider is recorded once.
CREATE UNIQUE INDEX refunds_found_once ON refunds (merchant, mode, account, found_reference)
    WHERE found_reference IS NOT NULL;
CREATE INDEX refunds_newest ON refunds (merchant, mode, created_at DESC, id DESC);
CREATE INDEX refunds_by_payment ON refunds (merchant, mode, payment, created_at DESC, id DESC);
CREATE INDEX refunds_by_status ON refunds (merchant, mode, status, created_at DESC, id DESC);
CREATE INDEX refunds_by_reference ON refunds (merchant, mode, refund_reference, created_at DESC, id DESC)
    WHERE refund_reference IS NOT NULL;
CREATE INDEX refunds_by_account ON refunds (merchant, mode, account, created_at DESC, id DESC);
CREATE INDEX refunds_due ON refunds (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX refunds_leased ON refunds (lease_until) WHERE lease_until IS NOT NULL;
-- The metrics read the age of the oldest of these.
CREATE INDEX refunds_verifying ON refunds (created_at) WHERE status = 'verifying';
CREATE INDEX refunds_unattributed ON refunds (created_at) WHERE status = 'unattributed';

-- Payments ------------------------------------------------------------------------------------------------------------

-- Money of the approved sale or captures, the voluntary tip included.
ALTER TABLE payments ADD COLUMN captured integer NOT NULL DEFAULT 0 CHECK (captured >= 0);
-- Of the succeeded and of the open legs of refunds, and by the provider beyond a charge.
ALTER TABLE payments ADD COLUMN returned integer NOT NULL DEFAULT 0 CHECK (returned >= 0);
ALTER TABLE payments ADD COLUMN pending integer NOT NULL DEFAULT 0 CHECK (pending >= 0);
ALTER TABLE payments ADD COLUMN over_returned integer NOT NULL DEFAULT 0 CHECK (over_returned >= 0);
-- Voluntary tip, returned or pending.
ALTER TABLE payments ADD COLUMN taken_tip integer NOT NULL DEFAULT 0 CHECK (taken_tip >= 0);
-- Returned, and not in a note yet.
ALTER TABLE payments ADD COLUMN undocumented integer NOT NULL DEFAULT 0 CHECK (undocumented >= 0);
UPDATE payments SET captured = CASE WHEN split IS NULL THEN amount + voluntary_tip ELSE (
    SELECT coalesce(sum(json_extract(part.value, '$.amount')), 0) FROM json_each(split, '$.parts') AS part
    WHERE json_extract(part.value, '$.stage.status') = 'succeeded'
) END
WHERE split IS NOT NULL OR status = 'succeeded';
-- No more money goes back than came in, but for an excess that the provider returned.
ALTER TABLE payments ADD COLUMN refund_count integer NOT NULL DEFAULT 0 CHECK (
    refund_count >= 0 AND captured <= amount + voluntary_tip AND returned + pending <= captured + over_returned
    AND over_returned <= returned AND undocumented <= returned
    AND taken_tip <= CASE status WHEN 'succeeded' THEN voluntary_tip ELSE 0 END
);

-- Attempts ------------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE copy_of_attempts AS SELECT * FROM attempts;
DROP TABLE attempts;
CREATE TABLE attempts (
    merchant           text NOT NULL,
    mode               text NOT NULL,
    id                 text NOT NULL,
    payment            text NOT NULL,
    account            text NOT NULL,
    number             integer NOT NULL CHECK (number >= 0), -- counted per payment, or per part of a split
    part               integer CHECK (part BETWEEN 1 AND 10), -- ordinal of the part; NULL: no split
    kind               text NOT NULL CHECK (kind IN (
        'opening', 'sale', 'authorization', 'capture', 'release', 'void', 'refund'
    )),
    amount             integer NOT NULL CHECK (amount > 0),
    currency           text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    card               text, -- JSON: brand and last digits
    started_at         integer NOT NULL,
    state              text NOT NULL CHECK (state IN (
        'open', 'unknown', 'approved', 'declined', 'not_submitted', 'not_happened', 'reversed'
    )),
    decline_code       text,
    provider_reference text, -- transaction id of the provider
    challenge_link     text, -- secret in the address to which the issuer returns the payer
    updated_at         integer NOT NULL,
    refund             text, -- the refund of a void or a refund
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments,
    FOREIGN KEY (merchant, mode, refund) REFERENCES refunds (merchant, mode, id),
    CHECK ((decline_code IS NOT NULL) = (state = 'declined')),
    CHECK (kind IN ('void', 'refund') OR (part IS NULL) = (kind IN ('opening', 'sale'))),
    CHECK ((refund IS NOT NULL) = (kind IN ('void', 'refund')))
) STRICT;
INSERT INTO attempts (
    merchant, mode, id, payment, account, number, part, kind, amount, currency, card, started_at, state, decline_code,
    provider_reference, challenge_link, updated_at
) SELECT
    merchant, mode, id, payment, account, number, part, kind, amount, currency, card, started_at, state, decline_code,
    provider_reference, challenge_link, updated_at
FROM temp.copy_of_attempts;
DROP TABLE temp.copy_of_attempts;
-- A part counts its cards from 1 again after the payment is split anew, and a capture has the number of its card.
CREATE UNIQUE INDEX attempts_by_number ON attempts (merchant, mode, payment, number)
    WHERE part IS NULL AND refund IS NULL;
CREATE INDEX attempts_of_parts_and_refunds ON attempts (merchant, mode, payment)
    WHERE part IS NOT NULL OR refund IS NOT NULL;
CREATE INDEX attempts_by_refund ON attempts (merchant, mode, refund) WHERE refund IS NOT NULL;
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

-- Fiscal documents ----------------------------------------------------------------------------------------------------

CREATE TEMP TABLE copy_of_number_ranges AS SELECT * FROM number_ranges;
DROP TABLE number_ranges;
CREATE TABLE number_ranges (
    issuer      text NOT NULL, -- RNC
    environment text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    kind        text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government', 'credit_note')),
    first       integer NOT NULL CHECK (first > 0),
    last        integer NOT NULL CHECK (last BETWEEN first AND 9999999999),
    next        integer NOT NULL CHECK (next BETWEEN first AND last + 1), -- `last + 1`: the range is used up
    valid_until text CHECK (length(valid_until) = 10), -- last day; NULL: the numbers do not expire
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    created_at  integer NOT NULL,
    PRIMARY KEY (issuer, environment, kind, first)
) STRICT;
INSERT INTO number_ranges (
    issuer, environment, kind, first, last, next, valid_until, merchant, mode, created_at
) SELECT
    issuer, environment, kind, first, last, next, valid_until, merchant, mode, created_at
FROM temp.copy_of_number_ranges;
DROP TABLE temp.copy_of_number_ranges;
CREATE INDEX number_ranges_by_tenant ON number_ranges (merchant, mode, environment, created_at, first);

CREATE TEMP TABLE copy_of_annulments AS SELECT * FROM annulments;
DROP TABLE annulments;
CREATE TABLE annulments (
    merchant           text NOT NULL REFERENCES merchants,
    mode               text NOT NULL CHECK (mode IN ('test', 'live')),
    id                 text NOT NULL,
    issuer             text NOT NULL, -- RNC
    environment        text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    kind               text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government', 'credit_note')),
    range_first        integer NOT NULL CHECK (range_first > 0), -- `first` of the range
    first              integer NOT NULL CHECK (first >= range_first),
    last               integer NOT NULL CHECK (last BETWEEN first AND 9999999999),
    requested_at       integer NOT NULL,
    state              text NOT NULL CHECK (state IN ('unresolved', 'annulled', 'refused')),
    resolved_at        integer,
    authority_messages text NOT NULL, -- JSON: code and text of each message of DGII
    xml                blob NOT NULL, -- the signed request
    PRIMARY KEY (merchant, mode, id),
    CHECK ((resolved_at IS NULL) = (state = 'unresolved'))
) STRICT;
INSERT INTO annulments (
    merchant, mode, id, issuer, environment, kind, range_first, first, last, requested_at, state, resolved_at,
    authority_messages, xml
) SELECT
    merchant, mode, id, issuer, environment, kind, range_first, first, last, requested_at, state, resolved_at,
    authority_messages, xml
FROM temp.copy_of_annulments;
DROP TABLE temp.copy_of_annulments;
CREATE INDEX annulments_by_issuer ON annulments (issuer, environment, kind, first);
-- The signed request and its numbers are final; the response of DGII may change.
CREATE TRIGGER annulments_immutable BEFORE UPDATE ON annulments
    WHEN OLD.xml <> NEW.xml OR OLD.first <> NEW.first OR OLD.last <> NEW.last OR OLD.kind <> NEW.kind
BEGIN
    SELECT RAISE(ABORT, 'annulments never change');
END;
CREATE TRIGGER annulments_undeletable BEFORE DELETE ON annulments
BEGIN
    SELECT RAISE(ABORT, 'annulments never change');
END;
-- Ranges that overlap would assign a number twice, and an annulled number must not be assigned again.
CREATE TRIGGER number_ranges_no_overlap BEFORE INSERT ON number_ranges
    WHEN EXISTS (
        SELECT 1 FROM number_ranges
        WHERE issuer = NEW.issuer AND environment = NEW.environment AND kind = NEW.kind
            AND first <= NEW.last AND last >= NEW.first
    ) OR EXISTS (
        SELECT 1 FROM annulments
        WHERE issuer = NEW.issuer AND environment = NEW.environment AND kind = NEW.kind
            AND first <= NEW.last AND last >= NEW.first
    )
BEGIN
    SELECT RAISE(ABORT, 'exists');
END;

-- A payment has one document of its sale, and one credit note for each refund that returned money of that document.
CREATE TEMP TABLE copy_of_fiscal_documents AS SELECT * FROM fiscal_documents;
DROP TABLE fiscal_documents;
CREATE TABLE fiscal_documents (
    merchant       text NOT NULL,
    mode           text NOT NULL CHECK (mode IN ('test', 'live')),
    id             text NOT NULL,
    payment        text NOT NULL,
    environment    text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')), -- of DGII
    issuer         text NOT NULL, -- RNC
    currency       text NOT NULL CHECK (currency IN ('DOP', 'USD')),
    terms          text NOT NULL, -- JSON: what is fixed when the payment is created
    created_at     integer NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government', 'credit_note')),
    invoice_number text NOT NULL CHECK (length(invoice_number) BETWEEN 1 AND 20),
    order_number   text NOT NULL CHECK (length(order_number) BETWEEN 1 AND 20),
    total          integer NOT NULL CHECK (total >= 0),
    content        text NOT NULL, -- JSON: buyer, lines, taxes
    revision       integer NOT NULL CHECK (revision > 0), -- increased by each correction
    delivery       text NOT NULL, -- JSON: the newest e-mail with the document, as the API shows it
    status         text NOT NULL CHECK (status IN (
        'requested', 'issuing', 'delayed', 'issued', 'rejected', 'canceled'
    )),
    stage          text, -- JSON: the facts of the status
    fiscal_number  text, -- e-NCF
    updated_at     integer NOT NULL,
    version        integer NOT NULL,
    due_at         integer,
    lease_until    integer,
    -- Service of DGII that a signed document waits for, oldest first, while the service does not accept documents.
    queue          text CHECK (queue IN ('documents', 'summaries')),
    queued_at      integer
        CHECK ((queued_at IS NULL) = (queue IS NULL))
        CHECK (queued_at IS NULL OR status IN ('issuing', 'delayed')),
    -- Next rendering of the PDF of an issued document; NULL: it is rendered.
    render_at      integer CHECK (render_at IS NULL OR status = 'issued'),
    -- Code of the problem of a delayed document. A change of the setup that solves it makes the document due.
    problem        text CHECK (problem IS NULL OR status = 'delayed'),
    modifies       text, -- the document that a credit note modifies
    refund         text, -- the refund of a credit note
    credited       integer NOT NULL DEFAULT 0 CHECK (credited BETWEEN 0 AND total), -- sum of the accepted credit notes
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments,
    FOREIGN KEY (merchant, mode, modifies) REFERENCES fiscal_documents (merchant, mode, id),
    FOREIGN KEY (merchant, mode, refund) REFERENCES refunds (merchant, mode, id),
    CHECK ((modifies IS NOT NULL) = (kind = 'credit_note') AND (refund IS NOT NULL) = (kind = 'credit_note')),
    CHECK (credited = 0 OR kind <> 'credit_note'),

    -- The facts of a stage exist exactly while the document is in it.
    CHECK ((stage IS NULL) = (status = 'requested')),
    CHECK (due_at IS NOT NULL OR status NOT IN ('issuing', 'delayed')),
    CHECK (due_at IS NULL OR status IN ('requested', 'issuing', 'delayed')),
    CHECK (status <> 'issued' OR fiscal_number IS NOT NULL),
    CHECK (fiscal_number IS NULL OR status IN ('issuing', 'delayed', 'issued', 'rejected'))
) STRICT;
INSERT INTO fiscal_documents (
    merchant, mode, id, payment, environment, issuer, currency, terms, created_at, kind, invoice_number, order_number,
    total, content, revision, delivery, status, stage, fiscal_number, updated_at, version, due_at, lease_until, queue,
    queued_at, render_at, problem
) SELECT
    merchant, mode, id, payment, environment, issuer, currency, terms, created_at, kind, invoice_number, order_number,
    total, content, revision, delivery, status, stage, fiscal_number, updated_at, version, due_at, lease_until, queue,
    queued_at, render_at, problem
FROM temp.copy_of_fiscal_documents;
DROP TABLE temp.copy_of_fiscal_documents;
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
CREATE UNIQUE INDEX fiscal_documents_of_sales ON fiscal_documents (merchant, mode, payment) WHERE kind <> 'credit_note';
CREATE UNIQUE INDEX fiscal_documents_by_refund ON fiscal_documents (merchant, mode, refund) WHERE refund IS NOT NULL;
CREATE INDEX fiscal_documents_notes ON fiscal_documents (merchant, mode, modifies) WHERE modifies IS NOT NULL;
-- Notes without acceptance: the metrics read the age of the oldest.
CREATE INDEX fiscal_documents_notes_owed ON fiscal_documents (created_at)
    WHERE kind = 'credit_note' AND status IN ('requested', 'issuing', 'delayed', 'rejected');

-- The notes of a document credit at most its total, in the currency of the sale.
CREATE TRIGGER fiscal_documents_new_credit AFTER INSERT ON fiscal_documents
    WHEN NEW.modifies IS NOT NULL AND NEW.status <> 'canceled' AND (
        SELECT sum(total) FROM fiscal_documents
        WHERE merchant = NEW.merchant AND mode = NEW.mode AND modifies = NEW.modifies AND status <> 'canceled'
    ) > (SELECT total FROM fiscal_documents WHERE merchant = NEW.merchant AND mode = NEW.mode AND id = NEW.modifies)
BEGIN
    SELECT RAISE(ABORT, 'the credit notes exceed their document');
END;
CREATE TRIGGER fiscal_documents_changed_credit AFTER UPDATE ON fiscal_documents
    WHEN NEW.modifies IS NOT NULL AND NEW.status <> 'canceled'
    AND (NEW.total <> OLD.total OR NEW.modifies <> OLD.modifies OR OLD.status = 'canceled') AND (
        SELECT sum(total) FROM fiscal_documents
        WHERE merchant = NEW.merchant AND mode = NEW.mode AND modifies = NEW.modifies AND status <> 'canceled'
    ) > (SELECT total FROM fiscal_documents WHERE merchant = NEW.merchant AND mode = NEW.mode AND id = NEW.modifies)
BEGIN
    SELECT RAISE(ABORT, 'the credit notes exceed their document');
END;

-- Accounts and keys ---------------------------------------------------------------------------------------------------

-- Of a standard key; an admin key may.
ALTER TABLE merchant_keys ADD COLUMN may_refund integer NOT NULL DEFAULT 0 CHECK (may_refund IN (0, 1));

-- Each night the returns in the list of the provider are compared with the refunds. First day that was not listed; empty:
-- none was.
ALTER TABLE accounts ADD COLUMN returns_listed_before text NOT NULL DEFAULT ''
    CHECK (length(returns_listed_before) IN (0, 10));
ALTER TABLE accounts ADD COLUMN returns_lease_until integer;
CREATE INDEX accounts_returns_due ON accounts (returns_listed_before);
