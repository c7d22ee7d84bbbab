-- Accounts of the simulator have 3-D Secure, and say so. What others have is written in their credentials, which are read when they are set.
UPDATE accounts
    SET abilities = json_set(abilities, '$.three_ds_programs', json('["program_a","program_b"]'))
    WHERE provider = 'simulator';
