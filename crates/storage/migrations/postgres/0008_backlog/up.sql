-- What waits is looked at for all merchants together, the oldest first. Both are short: they hold only what waits.
CREATE INDEX payments_verifying ON payments (submitted_at) WHERE status = 'verifying';
CREATE INDEX fiscal_documents_unissued ON fiscal_documents (created_at) WHERE status IN ('issuing', 'delayed');

-- Whoever looks after the service counts what waits, whoever it belongs to, and since when it does.
CREATE POLICY watched ON payments FOR SELECT
    USING (current_setting('cobro.errand', true) = 'watch'
        AND (status IN ('verifying', 'succeeded') OR due_at IS NOT NULL));
CREATE POLICY watched ON fiscal_documents FOR SELECT
    USING (current_setting('cobro.errand', true) = 'watch'
        AND (status IN ('issuing', 'delayed') OR due_at IS NOT NULL));
