-- What other taxpayers hand over beside the authority: their documents, with what they were told of them, and what
-- they say of ours. None of it changes, and none of it goes.
CREATE TABLE received_documents (
    merchant        text NOT NULL REFERENCES merchants,
    mode            text NOT NULL CHECK (mode IN ('test', 'live')),
    environment     text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    sender          text NOT NULL CHECK (length(sender) IN (9, 11)),
    number          text NOT NULL CHECK (length(number) = 13),
    ecf_type        integer NOT NULL CHECK (ecf_type BETWEEN 31 AND 47),
    recipient       text NOT NULL,
    issue_date      text NOT NULL,
    total           integer NOT NULL CHECK (total >= 0),
    received_at     integer NOT NULL,
    xml             blob NOT NULL,
    acknowledgement text NOT NULL,
    PRIMARY KEY (merchant, mode, environment, sender, number)
) STRICT;
CREATE TRIGGER received_documents_never_change BEFORE UPDATE ON received_documents
BEGIN
    SELECT RAISE(ABORT, 'received documents never change');
END;
CREATE TRIGGER received_documents_never_go BEFORE DELETE ON received_documents
BEGIN
    SELECT RAISE(ABORT, 'received documents never change');
END;

CREATE TABLE commercial_approvals (
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    document    text NOT NULL,
    issuer      text NOT NULL,
    number      text NOT NULL,
    issue_date  text NOT NULL,
    total       integer NOT NULL,
    buyer       text NOT NULL,
    is_accepted integer NOT NULL CHECK (is_accepted IN (0, 1)),
    reason      text,
    said_at     text NOT NULL,
    received_at integer NOT NULL,
    xml         blob NOT NULL,
    PRIMARY KEY (merchant, mode, document),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents (merchant, mode, id),
    CHECK (reason IS NULL OR NOT is_accepted)
) STRICT;
CREATE TRIGGER commercial_approvals_never_change BEFORE UPDATE ON commercial_approvals
BEGIN
    SELECT RAISE(ABORT, 'approvals never change');
END;
CREATE TRIGGER commercial_approvals_never_go BEFORE DELETE ON commercial_approvals
BEGIN
    SELECT RAISE(ABORT, 'approvals never change');
END;

CREATE INDEX profiles_of_taxpayer ON profiles (rnc, mode);
