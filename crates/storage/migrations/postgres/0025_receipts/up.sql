-- Whoever has the reference of a receipt sees that sale and no other: the reference is the credential. It is found by
-- itself, so it is unique by itself.
ALTER TABLE payments DROP CONSTRAINT payments_merchant_mode_checkout_reference_key;
CREATE UNIQUE INDEX payments_of_receipt ON payments (checkout_reference);
CREATE POLICY of_receipt ON payments FOR SELECT
    USING (current_setting('cobro.errand', true) = 'receipt:' || checkout_reference);
CREATE POLICY of_receipt ON fiscal_documents FOR SELECT
    USING (current_setting('cobro.errand', true) LIKE 'receipt:%' AND EXISTS (
        SELECT FROM payments
        WHERE payments.merchant = fiscal_documents.merchant AND payments.mode = fiscal_documents.mode
            AND payments.id = fiscal_documents.payment
            AND current_setting('cobro.errand', true) = 'receipt:' || payments.checkout_reference
    ));

-- Every visit of a page leaves a token. Those that expired long ago are removed, whoever's they are.
CREATE INDEX checkout_tokens_by_age ON checkout_tokens (expires_at);
CREATE POLICY swept ON checkout_tokens FOR SELECT USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY removed ON checkout_tokens FOR DELETE USING (current_setting('cobro.errand', true) = 'sweep');
