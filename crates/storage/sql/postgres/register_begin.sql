-- Starts a copy of the register.
INSERT INTO register_copies (as_of, started_at) VALUES (:as_of, :now) RETURNING id
