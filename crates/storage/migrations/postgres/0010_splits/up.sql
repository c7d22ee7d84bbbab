-- A shared payment: who pays which part, and where each stands. Of such a payment, status, submitted_at and ended_at
-- are computed from its parts.
ALTER TABLE payments ADD COLUMN split text;

-- Facts of one payer are the payment's; facts of several are their parts'.
ALTER TABLE payments
    DROP CONSTRAINT payments_check2,
    DROP CONSTRAINT payments_check3,
    DROP CONSTRAINT payments_check4,
    DROP CONSTRAINT payments_check5,
    ADD CHECK (CASE WHEN split IS NULL THEN
        status NOT IN ('partially_authorized', 'authorized', 'capturing', 'partially_paid', 'releasing')
        AND (attempt IS NOT NULL) = (status IN ('processing', 'verifying') OR challenge_url IS NOT NULL)
        AND (attempt IS NULL) = (submitted_at IS NULL)
        AND (verification IS NOT NULL) = (status = 'verifying')
        AND (ended_at IS NOT NULL) = (status IN ('succeeded', 'declined', 'canceled', 'expired'))
    ELSE
        status <> 'declined' AND attempt IS NULL AND challenge_url IS NULL AND verification IS NULL
        AND decline_code IS NULL
        AND (submitted_at IS NOT NULL) = (status = 'verifying')
        AND (ended_at IS NOT NULL OR status NOT IN ('succeeded', 'canceled', 'expired'))
        AND (ended_at IS NULL OR status IN ('succeeded', 'canceled', 'expired', 'partially_paid'))
        -- Whatever is unfinished, somebody looks after.
        AND (due_at IS NOT NULL) = (ended_at IS NULL)
    END);

DROP TRIGGER payments_end_once ON payments;
-- An expired split can be renewed.
CREATE TRIGGER payments_end_once BEFORE UPDATE ON payments FOR EACH ROW
    WHEN (NEW.status <> OLD.status AND (OLD.status IN ('succeeded', 'canceled')
        OR (OLD.status = 'expired' AND (OLD.split IS NULL OR NEW.split IS NULL))))
    EXECUTE FUNCTION refuse_return();

-- The part of the split that an attempt, or an event, is about.
ALTER TABLE attempts ADD COLUMN part bigint CHECK (part BETWEEN 1 AND 10);
ALTER TABLE attempts
    DROP CONSTRAINT attempts_kind_check,
    ADD CHECK (kind IN ('opening', 'sale', 'authorization', 'capture', 'release')),
    ADD CHECK ((part IS NULL) = (kind IN ('opening', 'sale'))),
    DROP CONSTRAINT attempts_merchant_mode_payment_number_key;
ALTER TABLE events ADD COLUMN part bigint CHECK (part BETWEEN 1 AND 10);

-- Cards for a part are counted from 1 again when the split is cut anew, and a capture has the number of its card.
CREATE UNIQUE INDEX attempts_by_number ON attempts (merchant, mode, payment, number) WHERE part IS NULL;
-- While one submission for a part, or for the whole, is in flight or in doubt, there is no other.
DROP INDEX attempts_one_at_a_time;
CREATE UNIQUE INDEX attempts_one_at_a_time ON attempts (merchant, mode, payment, coalesce(part, 0))
    WHERE state IN ('open', 'unknown');
-- No part is captured twice, and no payment is charged twice.
CREATE UNIQUE INDEX attempts_captured_once ON attempts (merchant, mode, payment, coalesce(part, 0))
    WHERE state = 'approved' AND kind IN ('sale', 'capture');
