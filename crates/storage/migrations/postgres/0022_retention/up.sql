-- Events and what is known of their deliveries are removed when they are old, and secrets that were replaced when they
-- sign nothing more, whoever's they are. What is updated must be seen before and after.
CREATE POLICY swept ON webhook_deliveries FOR SELECT USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY removed ON webhook_deliveries FOR DELETE USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY swept ON events FOR SELECT USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY removed ON events FOR DELETE USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY swept ON notices FOR SELECT USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY removed ON notices FOR DELETE USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY swept ON webhook_endpoints FOR SELECT USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY forgotten ON webhook_endpoints FOR UPDATE USING (current_setting('cobro.errand', true) = 'sweep');
CREATE INDEX webhook_endpoints_replaced ON webhook_endpoints (previous_until) WHERE previous_until IS NOT NULL;
