-- Who charges on an account has its name and nothing else: the newest credentials are found by that alone.
CREATE INDEX account_credentials_by_account ON account_credentials (account, version DESC);
CREATE POLICY presented ON account_credentials FOR SELECT
    USING (current_setting('cobro.errand', true) = 'account:' || account);

-- Once the key of the vault was replaced, every secret is read and sealed anew, each as its tenant.
CREATE POLICY rotated ON account_credentials FOR SELECT USING (current_setting('cobro.errand', true) = 'rotation');
CREATE POLICY rotated ON certificates FOR SELECT USING (current_setting('cobro.errand', true) = 'rotation');
CREATE POLICY rotated ON webhook_endpoints FOR SELECT USING (current_setting('cobro.errand', true) = 'rotation');
