-- Deletes entries without a copy, a limited number of them.
DELETE FROM taxpayers WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM taxpayers WHERE copy NOT IN (
        SELECT id FROM register_copies
        WHERE id = (SELECT id FROM register_copies WHERE is_complete ORDER BY as_of DESC, id DESC LIMIT 1)
            OR NOT is_complete AND started_at >= :abandoned_before)
    LIMIT :limit))
