-- What a document said, and why it was refused, before it was corrected.
CREATE TABLE fiscal_revisions (
    merchant    text NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    document    text NOT NULL,
    revision    bigint NOT NULL CHECK (revision > 0),
    replaced_at bigint NOT NULL,
    state       text NOT NULL,
    PRIMARY KEY (merchant, mode, document, revision),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents
);
SELECT hold_to_tenant('fiscal_revisions');

CREATE TRIGGER fiscal_revisions_never_change BEFORE UPDATE OR DELETE ON fiscal_revisions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
