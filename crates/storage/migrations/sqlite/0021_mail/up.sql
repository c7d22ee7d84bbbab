-- How far each mail has come. One that is due goes out, or went out and nobody knows yet what came of it: that it goes
-- out is written before it does.
ALTER TABLE deliveries ADD COLUMN status_at integer
    CHECK ((status_at IS NOT NULL) = (status IN ('queued', 'sent', 'failed')));
ALTER TABLE deliveries ADD COLUMN problem text CHECK ((problem IS NOT NULL) = (status = 'failed'));
ALTER TABLE deliveries ADD COLUMN tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0);
ALTER TABLE deliveries ADD COLUMN doubts integer NOT NULL DEFAULT 0 CHECK (doubts >= 0);
ALTER TABLE deliveries ADD COLUMN is_under_way integer NOT NULL DEFAULT 0
    CHECK (is_under_way IN (0, 1) AND (is_under_way = 0 OR status = 'queued'));
ALTER TABLE deliveries ADD COLUMN due_at integer
    CHECK ((due_at IS NULL OR status IN ('waiting_for_document', 'queued')) AND (due_at IS NOT NULL OR status <> 'queued'));
ALTER TABLE deliveries ADD COLUMN lease_until integer;
ALTER TABLE deliveries ADD COLUMN version integer NOT NULL DEFAULT 0;
DROP INDEX deliveries_waiting;
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL;

-- Wishes from before were left lying: those of what is issued are due, those of what was canceled are over.
UPDATE deliveries SET due_at = fiscal_documents.updated_at FROM fiscal_documents
WHERE fiscal_documents.merchant = deliveries.merchant AND fiscal_documents.mode = deliveries.mode
    AND fiscal_documents.id = deliveries.document AND fiscal_documents.status = 'issued';
UPDATE deliveries SET status = 'canceled' FROM fiscal_documents
WHERE fiscal_documents.merchant = deliveries.merchant AND fiscal_documents.mode = deliveries.mode
    AND fiscal_documents.id = deliveries.document AND fiscal_documents.status = 'canceled';
