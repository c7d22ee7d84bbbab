-- Deletes the idle sessions of a payment that are idle for the longest time.
DELETE FROM checkout_tokens WHERE digest IN (
    SELECT digest FROM checkout_tokens
    WHERE merchant = :merchant AND mode = :mode AND payment = :payment AND session_seen_at IS NOT NULL
    ORDER BY session_seen_at LIMIT :count)
