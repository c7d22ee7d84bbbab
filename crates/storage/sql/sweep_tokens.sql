-- Deletes expired tokens, and sessions that were idle for long.
DELETE FROM checkout_tokens WHERE digest IN (
    SELECT digest FROM checkout_tokens
    WHERE expires_at < :expired_before OR session_seen_at < :idle_before
    ORDER BY expires_at LIMIT :limit)
