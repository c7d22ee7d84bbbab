-- A link opens sessions. One that has never sent a form is idle: it gives way to a new one, and is deleted soon. A token that a
-- merchant's key made is no session.
ALTER TABLE checkout_tokens ADD COLUMN session text CHECK (session IN ('idle', 'active'));
ALTER TABLE checkout_tokens ADD COLUMN session_seen_at integer
    CHECK ((session_seen_at IS NOT NULL) = (session IS NOT NULL AND session = 'idle'));
CREATE INDEX checkout_tokens_idle ON checkout_tokens (session_seen_at) WHERE session_seen_at IS NOT NULL;
