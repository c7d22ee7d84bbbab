-- Mails that tell merchants that an endpoint was switched off, each written by what switched it off. `event` tells the same,
-- and names the mail; `snapshot` is the endpoint as it stood then. Where nobody was named to be told there is no address, and
-- the mail has failed from the start.
CREATE TABLE switch_off_mails (
    merchant      text NOT NULL,
    mode          text NOT NULL,
    event         text NOT NULL,
    endpoint      text NOT NULL,
    told_at       integer NOT NULL,
    email         text CHECK (length(email) BETWEEN 3 AND 320),
    locale        text NOT NULL,
    failing_since integer NOT NULL,
    last_result   text NOT NULL,
    snapshot      text NOT NULL,
    status        text NOT NULL CHECK (status IN ('waiting_for_document', 'queued', 'sent', 'failed')),
    status_at     integer,
    problem       text,
    tries         integer NOT NULL CHECK (tries >= 0),
    doubts        integer NOT NULL CHECK (doubts >= 0),
    is_under_way  integer NOT NULL CHECK (is_under_way IN (0, 1) AND (is_under_way = 0 OR status = 'queued')),
    due_at        integer,
    lease_until   integer,
    version       integer NOT NULL,
    PRIMARY KEY (merchant, mode, event),
    FOREIGN KEY (merchant, mode, endpoint) REFERENCES webhook_endpoints,
    CHECK (email IS NOT NULL OR status = 'failed'),
    CHECK ((due_at IS NOT NULL) = (status IN ('waiting_for_document', 'queued'))),
    CHECK ((status_at IS NOT NULL) = (status IN ('queued', 'sent', 'failed'))),
    CHECK ((problem IS NOT NULL) = (status = 'failed'))
) STRICT;
CREATE INDEX switch_off_mails_due ON switch_off_mails (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX switch_off_mails_failed ON switch_off_mails (told_at) WHERE status = 'failed';
CREATE INDEX switch_off_mails_by_age ON switch_off_mails (told_at);
