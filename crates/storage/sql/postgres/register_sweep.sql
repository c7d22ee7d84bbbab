-- Deletes copies that are replaced, or whose import was abandoned.
DELETE FROM register_copies WHERE id NOT IN (
    SELECT id FROM register_copies
    WHERE id = (SELECT id FROM register_copies WHERE is_complete ORDER BY as_of DESC, id DESC LIMIT 1)
        OR NOT is_complete AND started_at >= :abandoned_before)
