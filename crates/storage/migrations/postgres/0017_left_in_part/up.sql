-- Payments that are paid in part and stay so are looked at together with whatever else a person should know of.
CREATE INDEX payments_left_in_part ON payments (ended_at) WHERE status = 'partially_paid' AND ended_at IS NOT NULL;

DROP POLICY watched ON payments;
CREATE POLICY watched ON payments FOR SELECT
    USING (current_setting('cobro.errand', true) = 'watch'
        AND (status IN ('verifying', 'succeeded', 'partially_paid') OR due_at IS NOT NULL));
