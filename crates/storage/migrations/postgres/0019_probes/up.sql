-- What its provider said when it was asked whether it takes an account's credentials, and when it is asked again.
ALTER TABLE accounts ADD COLUMN probe text, ADD COLUMN probe_due_at bigint;
CREATE INDEX accounts_to_probe ON accounts (probe_due_at) WHERE probe_due_at IS NOT NULL;

-- Whoever asks looks for what is due, whoever it belongs to; each account is then asked about as its tenant.
CREATE POLICY due ON accounts FOR SELECT
    USING (current_setting('cobro.errand', true) = 'work' AND probe_due_at IS NOT NULL);

-- Credentials from before were never tried.
ALTER TABLE accounts NO FORCE ROW LEVEL SECURITY;
UPDATE accounts SET probe_due_at = 0 WHERE credential_version > 0;
ALTER TABLE accounts FORCE ROW LEVEL SECURITY;
