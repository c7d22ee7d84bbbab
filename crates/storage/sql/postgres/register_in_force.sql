-- Time of the newest complete copy of the register.
SELECT as_of FROM register_copies
WHERE id = (SELECT id FROM register_copies WHERE is_complete ORDER BY as_of DESC, id DESC LIMIT 1)
