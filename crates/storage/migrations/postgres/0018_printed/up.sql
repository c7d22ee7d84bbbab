-- What a person reads of a signed document is kept beside it.
ALTER TABLE artifacts
    DROP CONSTRAINT artifacts_kind_check,
    ADD CHECK (kind IN ('signed_document', 'signed_summary', 'printed_representation'));
