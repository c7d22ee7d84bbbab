-- Accounts of the simulator have 3-D Secure, and say so. What others have is written in their credentials, which are read when they are set.
ALTER TABLE accounts NO FORCE ROW LEVEL SECURITY;
UPDATE accounts
    SET abilities = jsonb_set(abilities::jsonb, '{three_ds_programs}', '["program_a","program_b"]')::text
    WHERE provider = 'simulator';
ALTER TABLE accounts FORCE ROW LEVEL SECURITY;
