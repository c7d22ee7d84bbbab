-- Adds entries to a copy. Of several entries with one number, the last is stored: one statement may write a row once.
INSERT INTO taxpayers
SELECT DISTINCT ON (entry.tax_id) :copy, entry.tax_id, entry.legal_name, entry.status
FROM unnest(:tax_ids::text[], :names::text[], :statuses::text[]) WITH ORDINALITY entry (tax_id, legal_name, status, ordinal)
ORDER BY entry.tax_id, entry.ordinal DESC
ON CONFLICT (copy, tax_id) DO UPDATE SET legal_name = excluded.legal_name, status = excluded.status
