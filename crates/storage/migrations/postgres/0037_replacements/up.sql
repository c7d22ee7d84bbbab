-- What reserves a share anew stands in nobody's way: whoever captures or releases that share meanwhile, or pays it again,
-- does not wait for it. Only a payer's own card has an address to which the issuer sends its payer back.
DROP INDEX attempts_one_at_a_time;
CREATE UNIQUE INDEX attempts_one_at_a_time ON attempts (merchant, mode, payment, coalesce(part, 0))
    WHERE state IN ('open', 'unknown') AND (kind <> 'authorization' OR challenge_link IS NOT NULL);
