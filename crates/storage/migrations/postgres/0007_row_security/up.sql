-- Row security: a statement sees the tenant that its session names, and of others what one errand needs.
--
-- `cobro.merchant` and `cobro.mode` name the tenant. `cobro.errand` says what else is meant: a credential whose owner
-- is not known yet, or work that serves every merchant. With nothing set, nothing is there. The owner of the tables is
-- held to it, too; only a superuser, or a role with BYPASSRLS, passes by. A later migration that changes rows of every
-- tenant lifts FORCE for as long, and one that adds a table calls `hold_to_tenant`.

CREATE FUNCTION hold_to_tenant(held regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', held);
    EXECUTE format(
        'CREATE POLICY of_tenant ON %s USING (merchant = current_setting(''cobro.merchant'', true)'
        ' AND mode = current_setting(''cobro.mode'', true))',
        held
    );
END
$$;

SELECT hold_to_tenant(format('%I.%I', table_schema, table_name))
FROM information_schema.columns
WHERE table_schema = current_schema AND column_name IN ('merchant', 'mode')
GROUP BY table_schema, table_name
HAVING count(*) = 2;

ALTER TABLE merchants ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON merchants USING (id = current_setting('cobro.merchant', true));
-- A merchant is made with a profile for each mode.
CREATE POLICY of_new_merchant ON profiles FOR INSERT
    WITH CHECK (merchant = current_setting('cobro.merchant', true)
        AND current_setting('cobro.errand', true) = 'new_merchant');

-- Who presents a credential sees what it opens, and no other: the setting is the credential.
CREATE POLICY presented ON merchant_keys FOR SELECT
    USING (current_setting('cobro.errand', true) = 'key:' || encode(digest, 'hex'));
CREATE POLICY presented ON merchants FOR SELECT
    USING (current_setting('cobro.errand', true) LIKE 'key:%' AND EXISTS (
        SELECT FROM merchant_keys
        WHERE merchant_keys.merchant = merchants.id
            AND current_setting('cobro.errand', true) = 'key:' || encode(merchant_keys.digest, 'hex')
    ));
CREATE POLICY presented ON checkout_tokens FOR SELECT
    USING (current_setting('cobro.errand', true) = 'token:' || encode(digest, 'hex'));
CREATE POLICY presented ON payments FOR SELECT
    USING (current_setting('cobro.errand', true) = 'link:' || checkout_link);
CREATE POLICY presented ON fiscal_documents FOR SELECT
    USING (current_setting('cobro.errand', true) LIKE 'link:%' AND EXISTS (
        SELECT FROM payments
        WHERE payments.merchant = fiscal_documents.merchant AND payments.mode = fiscal_documents.mode
            AND payments.id = fiscal_documents.payment
            AND current_setting('cobro.errand', true) = 'link:' || payments.checkout_link
    ));

-- Workers lease what is due, whoever it belongs to; each step is then done as its tenant.
CREATE POLICY due ON payments FOR SELECT
    USING (current_setting('cobro.errand', true) = 'work' AND (due_at IS NOT NULL OR lease_until IS NOT NULL));
CREATE POLICY leased ON payments FOR UPDATE
    USING (current_setting('cobro.errand', true) = 'work' AND (due_at IS NOT NULL OR lease_until IS NOT NULL))
    WITH CHECK (current_setting('cobro.errand', true) = 'work');
CREATE POLICY due ON fiscal_documents FOR SELECT
    USING (current_setting('cobro.errand', true) = 'work' AND (due_at IS NOT NULL OR lease_until IS NOT NULL));
CREATE POLICY leased ON fiscal_documents FOR UPDATE
    USING (current_setting('cobro.errand', true) = 'work' AND (due_at IS NOT NULL OR lease_until IS NOT NULL))
    WITH CHECK (current_setting('cobro.errand', true) = 'work');

-- Old keys are forgotten, whoever used them.
CREATE POLICY swept ON idempotency_keys FOR SELECT USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY forgotten ON idempotency_keys FOR UPDATE USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY removed ON idempotency_keys FOR DELETE USING (current_setting('cobro.errand', true) = 'sweep');

-- Ranges of one issuer must not overlap, whichever merchant has them.
CREATE POLICY of_issuer ON number_ranges FOR SELECT
    USING (current_setting('cobro.errand', true) = 'issuer:' || issuer);
