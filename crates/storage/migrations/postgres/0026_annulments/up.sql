-- Numbers that were never given, cut off their ranges and given back to the authority.
CREATE TABLE annulments (
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    id          text NOT NULL,
    issuer      text NOT NULL,
    environment text NOT NULL CHECK (environment IN ('testecf', 'certecf', 'ecf')),
    kind        text NOT NULL CHECK (kind IN ('consumer', 'fiscal_credit', 'government')),
    range_first bigint NOT NULL CHECK (range_first > 0),
    first       bigint NOT NULL CHECK (first >= range_first),
    last        bigint NOT NULL CHECK (last BETWEEN first AND 9999999999),
    intended_at bigint NOT NULL,
    state       text NOT NULL CHECK (state IN ('unresolved', 'annulled', 'refused')),
    settled_at  bigint,
    said        text NOT NULL,
    xml         bytea NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    CHECK ((settled_at IS NULL) = (state = 'unresolved'))
);
CREATE INDEX annulments_of_issuer ON annulments (issuer, environment, kind, first);
SELECT hold_to_tenant('annulments');
CREATE POLICY of_issuer ON annulments FOR SELECT
    USING (current_setting('cobro.errand', true) = 'issuer:' || issuer);

-- What was signed, and for which numbers, stays; what the authority says of it may change.
CREATE TRIGGER annulments_never_change BEFORE UPDATE ON annulments FOR EACH ROW
    WHEN (OLD.xml <> NEW.xml OR OLD.first <> NEW.first OR OLD.last <> NEW.last OR OLD.kind <> NEW.kind)
    EXECUTE FUNCTION refuse_change();
CREATE TRIGGER annulments_never_go BEFORE DELETE ON annulments
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A range that was shortened leaves room that nobody may fill again.
CREATE OR REPLACE FUNCTION refuse_overlap() RETURNS trigger LANGUAGE plpgsql AS $$
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
