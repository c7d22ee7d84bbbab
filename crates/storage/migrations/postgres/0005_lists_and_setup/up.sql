-- The sale right after the event. An event from before this column has nothing to show and is not shown.
ALTER TABLE events ADD COLUMN snapshot text;
CREATE INDEX events_newest ON events (merchant, mode, occurred_at DESC, payment DESC, sequence DESC);

-- Lists by a document's number are in the order of all lists: sales of one moment by name.
DROP INDEX fiscal_documents_by_invoice;
DROP INDEX fiscal_documents_by_order;
CREATE INDEX fiscal_documents_by_invoice
    ON fiscal_documents (merchant, mode, invoice_number, created_at DESC, payment DESC);
CREATE INDEX fiscal_documents_by_order ON fiscal_documents (merchant, mode, order_number, created_at DESC, payment DESC);
CREATE INDEX payments_by_account ON payments (merchant, mode, account, created_at DESC, id DESC);

-- Credentials of an account, sealed; those that count have the account's number.
CREATE TABLE account_credentials (
    merchant text NOT NULL,
    mode     text NOT NULL,
    account  text NOT NULL,
    version  bigint NOT NULL CHECK (version > 0),
    sealed   bytea NOT NULL,
    set_at   bigint NOT NULL,
    PRIMARY KEY (merchant, mode, account, version),
    FOREIGN KEY (merchant, mode, account) REFERENCES accounts
);

CREATE TABLE webhook_endpoints (
    merchant       text NOT NULL REFERENCES merchants,
    mode           text NOT NULL CHECK (mode IN ('test', 'live')),
    id             text NOT NULL,
    url            text NOT NULL,
    enabled_events text NOT NULL,
    description    text,
    disabled       text CHECK (disabled IN ('by_merchant', 'gone', 'failing')),
    sealed_secret  bytea NOT NULL,
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    version        bigint NOT NULL,
    PRIMARY KEY (merchant, mode, id)
);
CREATE INDEX webhook_endpoints_by_age ON webhook_endpoints (merchant, mode, created_at, id);

-- How many endpoints a tenant has. Whoever registers one waits here for whoever is before.
CREATE TABLE webhook_endpoint_counts (
    merchant  text NOT NULL REFERENCES merchants,
    mode      text NOT NULL CHECK (mode IN ('test', 'live')),
    endpoints bigint NOT NULL CHECK (endpoints >= 0),
    PRIMARY KEY (merchant, mode)
);
