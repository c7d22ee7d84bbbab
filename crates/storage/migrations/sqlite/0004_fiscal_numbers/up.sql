-- A number belongs to the issuer at the authority, whichever merchant asks for it: hence keys without a tenant.
CREATE TABLE number_ranges (
    issuer      text NOT NULL,
    environment text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    kind        text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government')),
    first       integer NOT NULL CHECK (first > 0),
    last        integer NOT NULL CHECK (last BETWEEN first AND 9999999999),
    next        integer NOT NULL CHECK (next BETWEEN first AND last + 1),
    valid_until text CHECK (length(valid_until) = 10),
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    created_at  integer NOT NULL,
    PRIMARY KEY (issuer, environment, kind, first)
) STRICT;
CREATE INDEX number_ranges_of_tenant ON number_ranges (merchant, mode, environment, created_at, first);

-- Two ranges that overlap would give a number twice.
CREATE TRIGGER number_ranges_never_overlap BEFORE INSERT ON number_ranges
    WHEN EXISTS (
        SELECT 1 FROM number_ranges
        WHERE issuer = NEW.issuer AND environment = NEW.environment AND kind = NEW.kind
            AND first <= NEW.last AND last >= NEW.first
    )
BEGIN
    SELECT RAISE(ABORT, 'exists');
END;

-- Every number that was ever given, and to what.
CREATE TABLE fiscal_numbers (
    issuer      text NOT NULL,
    environment text NOT NULL,
    kind        text NOT NULL,
    sequence    integer NOT NULL CHECK (sequence BETWEEN 1 AND 9999999999),
    merchant    text NOT NULL,
    mode        text NOT NULL,
    document    text NOT NULL,
    revision    integer NOT NULL CHECK (revision > 0),
    valid_until text CHECK (length(valid_until) = 10),
    issue_date  text NOT NULL CHECK (length(issue_date) = 10),
    allotted_at integer NOT NULL,
    PRIMARY KEY (issuer, environment, kind, sequence),
    UNIQUE (merchant, mode, document, revision),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents
) STRICT;
CREATE TRIGGER fiscal_numbers_never_change BEFORE UPDATE ON fiscal_numbers
BEGIN
    SELECT RAISE(ABORT, 'fiscal numbers never change');
END;
CREATE TRIGGER fiscal_numbers_never_go BEFORE DELETE ON fiscal_numbers
BEGIN
    SELECT RAISE(ABORT, 'fiscal numbers never change');
END;
