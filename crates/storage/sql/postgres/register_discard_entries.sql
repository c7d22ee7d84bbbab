-- Deletes entries of a copy, a limited number of them.
DELETE FROM taxpayers WHERE ctid = ANY (ARRAY(SELECT ctid FROM taxpayers WHERE copy = :copy LIMIT :limit))
