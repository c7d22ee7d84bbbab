-- Numbers that were never given, cut off their ranges and given back to the authority.
CREATE TABLE annulments (
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    id          text NOT NULL,
    issuer      text NOT NULL,
    environment text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    kind        text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government')),
    range_first integer NOT NULL CHECK (range_first > 0),
    first       integer NOT NULL CHECK (first >= range_first),
    last        integer NOT NULL CHECK (last BETWEEN first AND 9999999999),
    intended_at integer NOT NULL,
    state       text NOT NULL CHECK (state IN ('unresolved', 'annulled', 'refused')),
    settled_at  integer,
    said        text NOT NULL,
    xml         blob NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    CHECK ((settled_at IS NULL) = (state = 'unresolved'))
) STRICT;
CREATE INDEX annulments_of_issuer ON annulments (issuer, environment, kind, first);

-- What was signed, and for which numbers, stays; what the authority says of it may change.
CREATE TRIGGER annulments_never_change BEFORE UPDATE ON annulments
    WHEN OLD.xml <> NEW.xml OR OLD.first <> NEW.first OR OLD.last <> NEW.last OR OLD.kind <> NEW.kind
BEGIN
    SELECT RAISE(ABORT, 'annulments never change');
END;
CREATE TRIGGER annulments_never_go BEFORE DELETE ON annulments
BEGIN
    SELECT RAISE(ABORT, 'annulments never change');
END;

-- A range that was shortened leaves room that nobody may fill again.
DROP TRIGGER number_ranges_never_overlap;
CREATE TRIGGER number_ranges_never_overlap BEFORE INSERT ON number_ranges
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
