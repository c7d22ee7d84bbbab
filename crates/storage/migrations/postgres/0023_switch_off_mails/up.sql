-- Mails that tell merchants that an endpoint was switched off, each written by what switched it off. `event` tells the same,
-- and names the mail; `snapshot` is the endpoint as it stood then. Where nobody was named to be told there is no address, and
-- the mail has failed from the start.
CREATE TABLE switch_off_mails (
    merchant      text NOT NULL,
    mode          text NOT NULL,
    event         text NOT NULL,
    endpoint      text NOT NULL,
    told_at       bigint NOT NULL,
    email         text CHECK (char_length(email) BETWEEN 3 AND 320),
    locale        text NOT NULL,
    failing_since bigint NOT NULL,
    last_result   text NOT NULL,
    snapshot      text NOT NULL,
    status        text NOT NULL CHECK (status IN ('waiting_for_document', 'queued', 'sent', 'failed')),
    status_at     bigint,
    problem       text,
    tries         bigint NOT NULL CHECK (tries >= 0),
    doubts        bigint NOT NULL CHECK (doubts >= 0),
    is_under_way  boolean NOT NULL CHECK (NOT is_under_way OR status = 'queued'),
    due_at        bigint,
    lease_until   bigint,
    version       bigint NOT NULL,
    PRIMARY KEY (merchant, mode, event),
    FOREIGN KEY (merchant, mode, endpoint) REFERENCES webhook_endpoints,
    CHECK (email IS NOT NULL OR status = 'failed'),
    CHECK ((due_at IS NOT NULL) = (status IN ('waiting_for_document', 'queued'))),
    CHECK ((status_at IS NOT NULL) = (status IN ('queued', 'sent', 'failed'))),
    CHECK ((problem IS NOT NULL) = (status = 'failed'))
);
CREATE INDEX switch_off_mails_due ON switch_off_mails (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX switch_off_mails_failed ON switch_off_mails (told_at) WHERE status = 'failed';
CREATE INDEX switch_off_mails_by_age ON switch_off_mails (told_at);

SELECT hold_to_tenant('switch_off_mails');

-- Workers lease what is due, whoever it belongs to; each mail is then sent as its tenant. Who watches counts what failed.
CREATE POLICY due ON switch_off_mails FOR SELECT
    USING (current_setting('cobro.errand', true) = 'work' AND due_at IS NOT NULL);
CREATE POLICY leased ON switch_off_mails FOR UPDATE
    USING (current_setting('cobro.errand', true) = 'work' AND due_at IS NOT NULL)
    WITH CHECK (current_setting('cobro.errand', true) = 'work');
CREATE POLICY failed ON switch_off_mails FOR SELECT
    USING (current_setting('cobro.errand', true) = 'watch' AND status = 'failed');
CREATE POLICY swept ON switch_off_mails FOR SELECT USING (current_setting('cobro.errand', true) = 'sweep');
CREATE POLICY removed ON switch_off_mails FOR DELETE USING (current_setting('cobro.errand', true) = 'sweep');
