-- Documents whose number another document holds are looked for among those that were refused.
CREATE INDEX fiscal_documents_rejected ON fiscal_documents (merchant, mode, created_at, id) WHERE status = 'rejected';
