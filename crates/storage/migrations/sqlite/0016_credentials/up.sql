-- Who charges on an account has its name and nothing else: the newest credentials are found by that alone.
CREATE INDEX account_credentials_by_account ON account_credentials (account, version DESC);
