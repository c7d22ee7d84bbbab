-- What a person reads of a signed document is kept beside it. SQLite changes no check of a table, so it is made anew.
DROP TRIGGER artifacts_never_change;
DROP TRIGGER artifacts_never_go;
ALTER TABLE artifacts RENAME TO artifacts_before;
CREATE TABLE artifacts (
    merchant text NOT NULL,
    mode     text NOT NULL,
    document text NOT NULL,
    revision integer NOT NULL CHECK (revision > 0),
    kind     text NOT NULL CHECK (kind IN ('signed_document', 'signed_summary', 'printed_representation')),
    sha256   blob NOT NULL CHECK (length(sha256) = 32),
    bytes    blob NOT NULL,
    PRIMARY KEY (merchant, mode, document, revision, kind),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents
) STRICT;
INSERT INTO artifacts SELECT merchant, mode, document, revision, kind, sha256, bytes FROM artifacts_before;
DROP TABLE artifacts_before;
CREATE TRIGGER artifacts_never_change BEFORE UPDATE ON artifacts
BEGIN
    SELECT RAISE(ABORT, 'artifacts never change');
END;
CREATE TRIGGER artifacts_never_go BEFORE DELETE ON artifacts
BEGIN
    SELECT RAISE(ABORT, 'artifacts never change');
END;
