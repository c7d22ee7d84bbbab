-- Completes a copy: from now on it is read.
UPDATE register_copies SET is_complete = true WHERE id = :copy
