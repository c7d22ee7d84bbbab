-- What a document said, and why it was refused, before it was corrected.
CREATE TABLE fiscal_revisions (
    merchant    text NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    document    text NOT NULL,
    revision    integer NOT NULL CHECK (revision > 0),
    replaced_at integer NOT NULL,
    state       text NOT NULL,
    PRIMARY KEY (merchant, mode, document, revision),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents
) STRICT;

CREATE TRIGGER fiscal_revisions_never_change BEFORE UPDATE ON fiscal_revisions
BEGIN
    SELECT RAISE(ABORT, 'revisions never change');
END;
CREATE TRIGGER fiscal_revisions_never_go BEFORE DELETE ON fiscal_revisions
BEGIN
    SELECT RAISE(ABORT, 'revisions never change');
END;
