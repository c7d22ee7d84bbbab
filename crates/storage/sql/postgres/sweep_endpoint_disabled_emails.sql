-- Deletes old e-mails about disabled endpoints, by an index of their time.
DELETE FROM endpoint_disabled_emails WHERE ctid = ANY (ARRAY(
    SELECT old.ctid FROM endpoint_disabled_emails old WHERE old.occurred_at < :before
    ORDER BY old.occurred_at LIMIT :limit))
