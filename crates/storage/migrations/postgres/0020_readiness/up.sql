-- What was last told of an account's readiness (nothing where nobody has looked yet), and when somebody looks whether that is still so.
ALTER TABLE accounts ADD COLUMN told text NOT NULL DEFAULT '', ADD COLUMN look_due_at bigint NOT NULL DEFAULT 0;
CREATE INDEX accounts_to_look_at ON accounts (look_due_at);
-- Whoever looks finds accounts of every tenant that are due; each is then looked at as its tenant.
DROP POLICY due ON accounts;
CREATE POLICY due ON accounts FOR SELECT USING (current_setting('cobro.errand', true) = 'work');

-- A notice is about an endpoint, or about an account.
ALTER TABLE notices
    ALTER COLUMN endpoint DROP NOT NULL,
    ADD COLUMN account text,
    ADD FOREIGN KEY (merchant, mode, account) REFERENCES accounts,
    ADD CHECK ((endpoint IS NULL) <> (account IS NULL));
