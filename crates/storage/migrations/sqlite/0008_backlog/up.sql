-- What waits is looked at for all merchants together, the oldest first. Both are short: they hold only what waits.
CREATE INDEX payments_verifying ON payments (submitted_at) WHERE status = 'verifying';
CREATE INDEX fiscal_documents_unissued ON fiscal_documents (created_at) WHERE status IN ('issuing', 'delayed');
