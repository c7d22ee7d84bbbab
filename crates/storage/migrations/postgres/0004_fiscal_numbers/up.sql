-- A number belongs to the issuer at the authority, whichever merchant asks for it: hence keys without a tenant.
CREATE TABLE number_ranges (
    issuer      text NOT NULL,
    environment text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    kind        text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government')),
    first       bigint NOT NULL CHECK (first > 0),
    last        bigint NOT NULL CHECK (last BETWEEN first AND 9999999999),
    next        bigint NOT NULL CHECK (next BETWEEN first AND last + 1),
    valid_until text CHECK (char_length(valid_until) = 10),
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    created_at  bigint NOT NULL,
    PRIMARY KEY (issuer, environment, kind, first)
);
CREATE INDEX number_ranges_of_tenant ON number_ranges (merchant, mode, environment, created_at, first);

-- Two ranges that overlap would give a number twice. The lock makes two that arrive together see each other.
CREATE FUNCTION refuse_overlap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext(NEW.issuer), hashtext(NEW.environment || NEW.kind));
    IF EXISTS (
        SELECT FROM number_ranges
        WHERE issuer = NEW.issuer AND environment = NEW.environment AND kind = NEW.kind
            AND first <= NEW.last AND last >= NEW.first
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'exists';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER number_ranges_never_overlap BEFORE INSERT ON number_ranges
    FOR EACH ROW EXECUTE FUNCTION refuse_overlap();

-- Every number that was ever given, and to what.
CREATE TABLE fiscal_numbers (
    issuer      text NOT NULL,
    environment text NOT NULL,
    kind        text NOT NULL,
    sequence    bigint NOT NULL CHECK (sequence BETWEEN 1 AND 9999999999),
    merchant    text NOT NULL,
    mode        text NOT NULL,
    document    text NOT NULL,
    revision    bigint NOT NULL CHECK (revision > 0),
    valid_until text CHECK (char_length(valid_until) = 10),
    issue_date  text NOT NULL CHECK (char_length(issue_date) = 10),
    allotted_at bigint NOT NULL,
    PRIMARY KEY (issuer, environment, kind, sequence),
    UNIQUE (merchant, mode, document, revision),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents
);
CREATE TRIGGER fiscal_numbers_never_change BEFORE UPDATE OR DELETE ON fiscal_numbers
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
