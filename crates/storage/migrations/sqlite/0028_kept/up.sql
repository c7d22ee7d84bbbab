-- Signed documents that the authority could not take go out in order of age, each service by itself.
ALTER TABLE fiscal_documents ADD COLUMN kept_for text CHECK (kept_for IN ('documents', 'summaries'));
ALTER TABLE fiscal_documents ADD COLUMN kept_since integer
    CHECK ((kept_since IS NULL) = (kept_for IS NULL))
    CHECK (kept_since IS NULL OR status IN ('issuing', 'delayed'));
CREATE INDEX fiscal_documents_kept
    ON fiscal_documents (merchant, mode, issuer, environment, kept_for, kept_since, id) WHERE kept_since IS NOT NULL;

-- Issued documents that could not be drawn are drawn again.
ALTER TABLE fiscal_documents ADD COLUMN draw_at integer CHECK (draw_at IS NULL OR status = 'issued');
CREATE INDEX fiscal_documents_undrawn ON fiscal_documents (draw_at) WHERE draw_at IS NOT NULL;
