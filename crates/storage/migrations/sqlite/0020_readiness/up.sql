-- What was last told of an account's readiness (nothing where nobody has looked yet), and when somebody looks whether that is still so.
ALTER TABLE accounts ADD COLUMN told text NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN look_due_at integer NOT NULL DEFAULT 0;
CREATE INDEX accounts_to_look_at ON accounts (look_due_at);

-- A notice is about an endpoint, or about an account.
CREATE TABLE notices_of_either (
    merchant    text NOT NULL,
    mode        text NOT NULL,
    id          text NOT NULL,
    kind        text NOT NULL,
    endpoint    text,
    account     text,
    request     text,
    occurred_at integer NOT NULL,
    snapshot    text NOT NULL,
    PRIMARY KEY (merchant, mode, id),
    FOREIGN KEY (merchant, mode, endpoint) REFERENCES webhook_endpoints,
    FOREIGN KEY (merchant, mode, account) REFERENCES accounts,
    CHECK ((endpoint IS NULL) <> (account IS NULL))
) STRICT;
INSERT INTO notices_of_either
    SELECT merchant, mode, id, kind, endpoint, NULL, request, occurred_at, snapshot FROM notices;
DROP TABLE notices;
ALTER TABLE notices_of_either RENAME TO notices;
CREATE INDEX notices_newest ON notices (merchant, mode, occurred_at DESC, id DESC);
