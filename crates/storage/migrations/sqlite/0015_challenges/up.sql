-- Issuers send a payer's browser back to an address that has a secret of the attempt in it: whoever comes by it is that
-- payer, whatever became of the attempt meanwhile.
ALTER TABLE attempts ADD COLUMN challenge_link text;
CREATE UNIQUE INDEX attempts_by_challenge_link ON attempts (challenge_link);

-- Each kind of return to an attempt, how often it came, and whether it moved anything: what came twice, or too late, did not.
CREATE TABLE challenge_returns (
    merchant text NOT NULL,
    mode     text NOT NULL,
    attempt  text NOT NULL,
    kind     text NOT NULL CHECK (kind IN ('notice', 'look', 'answer')),
    is_taken integer NOT NULL CHECK (is_taken IN (0, 1)),
    times    integer NOT NULL CHECK (times > 0),
    first_at integer NOT NULL,
    last_at  integer NOT NULL,
    PRIMARY KEY (merchant, mode, attempt, kind, is_taken),
    FOREIGN KEY (merchant, mode, attempt) REFERENCES attempts (merchant, mode, id)
) STRICT;
