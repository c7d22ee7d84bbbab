-- How far each mail has come. One that is due goes out, or went out and nobody knows yet what came of it: that it goes
-- out is written before it does.
ALTER TABLE deliveries
    ADD COLUMN status_at bigint,
    ADD COLUMN problem text,
    ADD COLUMN tries bigint NOT NULL DEFAULT 0 CHECK (tries >= 0),
    ADD COLUMN doubts bigint NOT NULL DEFAULT 0 CHECK (doubts >= 0),
    ADD COLUMN is_under_way boolean NOT NULL DEFAULT false CHECK (NOT is_under_way OR status = 'queued'),
    ADD COLUMN due_at bigint CHECK (due_at IS NULL OR status IN ('waiting_for_document', 'queued')),
    ADD COLUMN lease_until bigint,
    ADD COLUMN version bigint NOT NULL DEFAULT 0,
    ADD CHECK ((status_at IS NOT NULL) = (status IN ('queued', 'sent', 'failed'))),
    ADD CHECK ((problem IS NOT NULL) = (status = 'failed')),
    ADD CHECK (due_at IS NOT NULL OR status <> 'queued');
DROP INDEX deliveries_waiting;
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL;

-- Wishes from before were left lying: those of what is issued are due, those of what was canceled are over.
ALTER TABLE fiscal_documents NO FORCE ROW LEVEL SECURITY;
ALTER TABLE deliveries NO FORCE ROW LEVEL SECURITY;
UPDATE deliveries SET due_at = fiscal_documents.updated_at FROM fiscal_documents
WHERE fiscal_documents.merchant = deliveries.merchant AND fiscal_documents.mode = deliveries.mode
    AND fiscal_documents.id = deliveries.document AND fiscal_documents.status = 'issued';
UPDATE deliveries SET status = 'canceled' FROM fiscal_documents
WHERE fiscal_documents.merchant = deliveries.merchant AND fiscal_documents.mode = deliveries.mode
    AND fiscal_documents.id = deliveries.document AND fiscal_documents.status = 'canceled';
ALTER TABLE deliveries FORCE ROW LEVEL SECURITY;
ALTER TABLE fiscal_documents FORCE ROW LEVEL SECURITY;

-- Workers lease what is due, whoever it belongs to; each mail is then sent as its tenant.
CREATE POLICY due ON deliveries FOR SELECT
    USING (current_setting('cobro.errand', true) = 'work' AND due_at IS NOT NULL);
CREATE POLICY leased ON deliveries FOR UPDATE
    USING (current_setting('cobro.errand', true) = 'work' AND due_at IS NOT NULL)
    WITH CHECK (current_setting('cobro.errand', true) = 'work');
