-- What its provider said when it was asked whether it takes an account's credentials, and when it is asked again.
ALTER TABLE accounts ADD COLUMN probe text;
ALTER TABLE accounts ADD COLUMN probe_due_at integer;
CREATE INDEX accounts_to_probe ON accounts (probe_due_at) WHERE probe_due_at IS NOT NULL;

-- Credentials from before were never tried.
UPDATE accounts SET probe_due_at = 0 WHERE credential_version > 0;
