-- What other taxpayers hand over beside the authority: their documents, with what they were told of them, and what
-- they say of ours. None of it changes, and none of it goes.
CREATE TABLE received_documents (
    merchant        text NOT NULL REFERENCES merchants,
    mode            text NOT NULL CHECK (mode IN ('test', 'live')),
    environment     text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    sender          text NOT NULL CHECK (length(sender) IN (9, 11)),
    number          text NOT NULL CHECK (length(number) = 13),
    ecf_type        bigint NOT NULL CHECK (ecf_type BETWEEN 31 AND 47),
    recipient       text NOT NULL,
    issue_date      text NOT NULL,
    total           bigint NOT NULL CHECK (total >= 0),
    received_at     bigint NOT NULL,
    xml             bytea NOT NULL,
    acknowledgement text NOT NULL,
    PRIMARY KEY (merchant, mode, environment, sender, number)
);
SELECT hold_to_tenant('received_documents');
CREATE TRIGGER received_documents_never_change BEFORE UPDATE OR DELETE ON received_documents
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE commercial_approvals (
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    document    text NOT NULL,
    issuer      text NOT NULL,
    number      text NOT NULL,
    issue_date  text NOT NULL,
    total       bigint NOT NULL,
    buyer       text NOT NULL,
    is_accepted boolean NOT NULL,
    reason      text,
    said_at     text NOT NULL,
    received_at bigint NOT NULL,
    xml         bytea NOT NULL,
    PRIMARY KEY (merchant, mode, document),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents (merchant, mode, id),
    CHECK (reason IS NULL OR NOT is_accepted)
);
SELECT hold_to_tenant('commercial_approvals');
CREATE TRIGGER commercial_approvals_never_change BEFORE UPDATE OR DELETE ON commercial_approvals
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Whoever comes names a taxpayer, and sees which tenants trade under that number.
CREATE INDEX profiles_of_taxpayer ON profiles (rnc, mode);
CREATE POLICY of_recipient ON profiles FOR SELECT
    USING (current_setting('cobro.errand', true) = 'recipient:' || rnc);
