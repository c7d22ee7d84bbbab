-- Refunds, and the credit notes (E34) of the returned parts of documents.

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
    refund_reference text CHECK (char_length(refund_reference) BETWEEN 1 AND 128), -- the merchant's own
    retried          text, -- the refund whose failed legs this one returns
    found_reference  text, -- the provider's name of a return that was found there
    details          text NOT NULL, -- JSON: what else is fixed when the refund is created
    created_at       bigint NOT NULL,
    status           text NOT NULL CHECK (status IN (
        'processing', 'verifying', 'succeeded', 'partially_succeeded', 'failed', 'unattributed'
    )), -- computed from the legs
    scope            text CHECK (scope IN ('all', 'lines', 'amount', 'tip', 'retry')),
    reason           text,
    description      text,
    -- Requested money: of the amount of the sale, of the voluntary tip, and both with an over-returned excess.
    amount           bigint NOT NULL CHECK (amount >= 0),
    voluntary_tip    bigint NOT NULL CHECK (voluntary_tip >= 0),
    total            bigint NOT NULL CHECK (total > 0 AND total >= amount + voluntary_tip),
    undocumented     bigint NOT NULL CHECK (undocumented >= 0), -- returned before, and not in a note yet
    legs             text NOT NULL, -- JSON: the share of each charge
    planned          text NOT NULL, -- JSON: planned credits of lines
    note             text, -- JSON: lines and amounts of the note, planned ones while a leg is open
    ended_at         bigint,
    updated_at       bigint NOT NULL,
    version          bigint NOT NULL,
    due_at           bigint,
    lease_until      bigint,
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, payment) REFERENCES payments,
    FOREIGN KEY (merchant, mode, retried) REFERENCES refunds,
    CHECK ((found_reference IS NOT NULL) = (origin = 'provider')),
    CHECK ((scope IS NULL) = (status = 'unattributed') AND (reason IS NULL) = (scope IS NULL)),
    CHECK (status <> 'unattributed' OR origin = 'provider'),
    CHECK ((due_at IS NOT NULL) = (status IN ('processing', 'verifying'))),
    CHECK ((ended_at IS NULL) = (status IN ('processing', 'verifying', 'unattributed')))
);
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

SELECT isolate_tenants('refunds');
CREATE POLICY due_work ON refunds FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'work' AND (due_at IS NOT NULL OR lease_until IS NOT NULL));
CREATE POLICY lease_work ON refunds FOR UPDATE
    USING (current_setting('cobro.access_scope', true) = 'work' AND (due_at IS NOT NULL OR lease_until IS NOT NULL))
    WITH CHECK (current_setting('cobro.access_scope', true) = 'work');
CREATE POLICY monitoring ON refunds FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'monitoring'
        AND (status IN ('verifying', 'unattributed') OR due_at IS NOT NULL));

-- Payments ------------------------------------------------------------------------------------------------------------

ALTER TABLE payments
    -- Money of the approved sale or captures, the voluntary tip included. A payment that succeeded while a process
    -- without refunds was running has 0 until its next change.
    ADD COLUMN captured      bigint NOT NULL DEFAULT 0 CHECK (captured >= 0),
    ADD COLUMN returned      bigint NOT NULL DEFAULT 0 CHECK (returned >= 0), -- of the succeeded legs of refunds
    ADD COLUMN pending       bigint NOT NULL DEFAULT 0 CHECK (pending >= 0), -- of the open legs
    ADD COLUMN over_returned bigint NOT NULL DEFAULT 0 CHECK (over_returned >= 0), -- by the provider, beyond a charge
    ADD COLUMN taken_tip     bigint NOT NULL DEFAULT 0 CHECK (taken_tip >= 0), -- voluntary tip, returned or pending
    ADD COLUMN undocumented  bigint NOT NULL DEFAULT 0 CHECK (undocumented >= 0), -- returned, and not in a note yet
    ADD COLUMN refund_count  bigint NOT NULL DEFAULT 0 CHECK (refund_count >= 0);

ALTER TABLE payments NO FORCE ROW LEVEL SECURITY;
UPDATE payments SET captured = CASE WHEN split IS NULL THEN amount + voluntary_tip ELSE (
    SELECT coalesce(sum((part ->> 'amount')::bigint), 0) FROM json_array_elements(split::json -> 'parts') AS part
    WHERE part -> 'stage' ->> 'status' = 'succeeded'
) END
WHERE split IS NOT NULL OR status = 'succeeded';
ALTER TABLE payments FORCE ROW LEVEL SECURITY;

ALTER TABLE payments
    -- No more money goes back than came in, but for an excess that the provider returned.
    ADD CONSTRAINT payments_balance CHECK (
        captured <= amount + voluntary_tip AND returned + pending <= captured + over_returned
        AND over_returned <= returned AND undocumented <= returned
        AND taken_tip <= CASE status WHEN 'succeeded' THEN voluntary_tip ELSE 0 END
    );

-- Attempts ------------------------------------------------------------------------------------------------------------

ALTER TABLE attempts
    ADD COLUMN refund text, -- the refund of a void or a refund
    DROP CONSTRAINT attempts_kind_check,
    ADD CONSTRAINT attempts_kind_check
        CHECK (kind IN ('opening', 'sale', 'authorization', 'capture', 'release', 'void', 'refund')),
    DROP CONSTRAINT attempts_check1,
    ADD CONSTRAINT attempts_part_of_kind
        CHECK (kind IN ('void', 'refund') OR (part IS NULL) = (kind IN ('opening', 'sale'))),
    ADD CONSTRAINT attempts_refund_of_kind CHECK ((refund IS NOT NULL) = (kind IN ('void', 'refund'))),
    ADD FOREIGN KEY (merchant, mode, refund) REFERENCES refunds;
DROP INDEX attempts_by_number;
CREATE UNIQUE INDEX attempts_by_number ON attempts (merchant, mode, payment, number)
    WHERE part IS NULL AND refund IS NULL;
CREATE INDEX attempts_of_parts_and_refunds ON attempts (merchant, mode, payment)
    WHERE part IS NOT NULL OR refund IS NOT NULL;
CREATE INDEX attempts_by_refund ON attempts (merchant, mode, refund) WHERE refund IS NOT NULL;

-- Fiscal documents ----------------------------------------------------------------------------------------------------

ALTER TABLE number_ranges
    DROP CONSTRAINT number_ranges_kind_check,
    ADD CONSTRAINT number_ranges_kind_check
        CHECK (kind IN ('consumer', 'fiscal_credit', 'government', 'credit_note'));
ALTER TABLE annulments
    DROP CONSTRAINT annulments_kind_check,
    ADD CONSTRAINT annulments_kind_check
        CHECK (kind IN ('consumer', 'fiscal_credit', 'government', 'credit_note'));

-- A payment has one document of its sale, and one credit note for each refund that returned money of that document.
ALTER TABLE fiscal_documents
    DROP CONSTRAINT fiscal_documents_merchant_mode_payment_key,
    DROP CONSTRAINT fiscal_documents_kind_check,
    ADD CONSTRAINT fiscal_documents_kind_check
        CHECK (kind IN ('consumer', 'fiscal_credit', 'government', 'credit_note')),
    ADD COLUMN modifies text, -- the document that a credit note modifies
    ADD COLUMN refund   text, -- the refund of a credit note
    -- Sum of the accepted credit notes of a document.
    ADD COLUMN credited bigint NOT NULL DEFAULT 0 CHECK (credited BETWEEN 0 AND total),
    ADD CONSTRAINT fiscal_documents_note_check CHECK (
        (modifies IS NOT NULL) = (kind = 'credit_note') AND (refund IS NOT NULL) = (kind = 'credit_note')
        AND (credited = 0 OR kind <> 'credit_note')
    ),
    ADD FOREIGN KEY (merchant, mode, modifies) REFERENCES fiscal_documents,
    ADD FOREIGN KEY (merchant, mode, refund) REFERENCES refunds;
CREATE UNIQUE INDEX fiscal_documents_of_sales ON fiscal_documents (merchant, mode, payment) WHERE kind <> 'credit_note';
CREATE UNIQUE INDEX fiscal_documents_by_refund ON fiscal_documents (merchant, mode, refund) WHERE refund IS NOT NULL;
CREATE INDEX fiscal_documents_notes ON fiscal_documents (merchant, mode, modifies) WHERE modifies IS NOT NULL;
-- Notes without acceptance: the metrics read the age of the oldest.
CREATE INDEX fiscal_documents_notes_owed ON fiscal_documents (created_at)
    WHERE kind = 'credit_note' AND status IN ('requested', 'issuing', 'delayed', 'rejected');

CREATE POLICY monitoring_notes ON fiscal_documents FOR SELECT
    USING (current_setting('cobro.access_scope', true) = 'monitoring' AND kind = 'credit_note'
        AND status IN ('requested', 'issuing', 'delayed', 'rejected'));

-- The notes of a document credit at most its total, in the currency of the sale. The lock makes notes that are written
-- at the same time see each other.
CREATE FUNCTION refuse_excess_credit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    modified_total bigint;
BEGIN
    SELECT total INTO modified_total FROM fiscal_documents
    WHERE merchant = NEW.merchant AND mode = NEW.mode AND id = NEW.modifies
    FOR NO KEY UPDATE;
    IF (
        SELECT sum(total) FROM fiscal_documents
        WHERE merchant = NEW.merchant AND mode = NEW.mode AND modifies = NEW.modifies AND status <> 'canceled'
    ) > modified_total THEN
        RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = 'the credit notes exceed their document';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER fiscal_documents_new_credit AFTER INSERT ON fiscal_documents FOR EACH ROW
    WHEN (NEW.modifies IS NOT NULL AND NEW.status <> 'canceled')
    EXECUTE FUNCTION refuse_excess_credit();
CREATE TRIGGER fiscal_documents_changed_credit AFTER UPDATE ON fiscal_documents FOR EACH ROW
    WHEN (NEW.modifies IS NOT NULL AND NEW.status <> 'canceled'
        AND (NEW.total <> OLD.total OR NEW.modifies <> OLD.modifies OR OLD.status = 'canceled'))
    EXECUTE FUNCTION refuse_excess_credit();

-- Accounts and keys ---------------------------------------------------------------------------------------------------

ALTER TABLE merchant_keys
    ADD COLUMN may_refund boolean NOT NULL DEFAULT false; -- of a standard key; an admin key may

-- Each night the returns in the list of the provider are compared with the refunds.
ALTER TABLE accounts
    ADD COLUMN returns_listed_before text NOT NULL DEFAULT '' -- first day that was not listed; empty: none was
        CHECK (char_length(returns_listed_before) IN (0, 10)),
    ADD COLUMN returns_lease_until   bigint;
CREATE INDEX accounts_returns_due ON accounts (returns_listed_before);
