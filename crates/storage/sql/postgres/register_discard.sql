-- Deletes a copy without its entries.
DELETE FROM register_copies WHERE id = :copy
