-- A provider's transaction approves one attempt: what is answered about it to another is not believed.
CREATE UNIQUE INDEX attempts_transactions ON attempts (merchant, mode, account, provider_reference)
    WHERE state = 'approved' AND kind IN ('sale', 'authorization') AND provider_reference IS NOT NULL;
