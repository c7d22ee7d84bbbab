-- What is beside the way of a payment: attempts that it has moved on without, which somebody looks after although it
-- has ended, and how many of its cards provably never left. A challenge is one thing, and nobody was asked for one yet;
-- what was checked of its columns goes with them.
ALTER TABLE payments
    ADD COLUMN asides text,
    ADD COLUMN challenge text,
    DROP COLUMN challenge_url,
    DROP COLUMN challenge_expires_at,
    ADD CHECK (challenge IS NULL OR status = 'requires_customer_action'),
    ADD CHECK (CASE WHEN split IS NULL THEN
        status NOT IN ('partially_authorized', 'authorized', 'capturing', 'partially_paid', 'releasing')
        AND (attempt IS NOT NULL) = (status IN ('processing', 'verifying') OR challenge IS NOT NULL)
        AND (attempt IS NULL) = (submitted_at IS NULL)
        AND (verification IS NOT NULL) = (status = 'verifying')
        AND (ended_at IS NOT NULL) = (status IN ('succeeded', 'declined', 'canceled', 'expired'))
    ELSE
        status <> 'declined' AND attempt IS NULL AND challenge IS NULL AND verification IS NULL
        AND decline_code IS NULL
        AND (submitted_at IS NOT NULL) = (status = 'verifying')
        AND (ended_at IS NOT NULL OR status NOT IN ('succeeded', 'canceled', 'expired'))
        AND (ended_at IS NULL OR status IN ('succeeded', 'canceled', 'expired', 'partially_paid'))
        -- Whatever is unfinished, somebody looks after; and what has ended at most for what is beside it.
        AND (due_at IS NOT NULL OR ended_at IS NOT NULL)
        AND (due_at IS NULL OR ended_at IS NULL OR asides IS NOT NULL)
    END);
