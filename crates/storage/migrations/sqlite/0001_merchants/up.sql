-- Instants are milliseconds since 1970, amounts are minor units, JSON is text: both backends keep the same values.
-- Keys begin with merchant and mode, so that merchants can be spread over machines.

CREATE TABLE merchants (
    id              text PRIMARY KEY,
    is_live_enabled integer NOT NULL,
    created_at      integer NOT NULL
) STRICT;

CREATE TABLE profiles (
    merchant              text NOT NULL REFERENCES merchants,
    mode                  text NOT NULL CHECK (mode IN ('test', 'live')),
    legal_name            text,
    rnc                   text,
    display_name          text,
    support_phone         text,
    support_email         text,
    permanent_address     text,
    statement_descriptor  text,
    locale                text NOT NULL,
    is_propina_applicable integer NOT NULL,
    default_checkout_mode text NOT NULL CHECK (default_checkout_mode IN ('itemized', 'grouped', 'amount_only')),
    payment_window        integer NOT NULL CHECK (payment_window > 0),
    is_split_enabled      integer NOT NULL,
    version               integer NOT NULL,
    PRIMARY KEY (merchant, mode)
) STRICT;

CREATE TABLE accounts (
    merchant           text NOT NULL REFERENCES merchants,
    mode               text NOT NULL CHECK (mode IN ('test', 'live')),
    id                 text NOT NULL,
    provider           text NOT NULL,
    venue_reference    text,
    lifecycle          text NOT NULL CHECK (lifecycle IN ('pending', 'active', 'suspended', 'closed')),
    credential_version integer NOT NULL,
    abilities          text NOT NULL,
    created_at         integer NOT NULL,
    PRIMARY KEY (merchant, mode, id)
) STRICT;

-- A key is found by its digest alone: it is what says whose it is.
CREATE TABLE merchant_keys (
    digest     blob PRIMARY KEY CHECK (length(digest) = 32),
    merchant   text NOT NULL REFERENCES merchants,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    role       text NOT NULL CHECK (role IN ('standard', 'admin')),
    accounts   text NOT NULL,
    hint       text NOT NULL,
    created_at integer NOT NULL,
    ends_at    integer
) STRICT;
CREATE INDEX merchant_keys_of_tenant ON merchant_keys (merchant, mode, created_at);

CREATE TABLE certificates (
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    id          text NOT NULL,
    subject     text NOT NULL,
    not_before  integer NOT NULL,
    not_after   integer NOT NULL,
    certificate blob NOT NULL,
    sealed_key  blob NOT NULL,
    imported_at integer NOT NULL,
    PRIMARY KEY (merchant, mode, id)
) STRICT;
CREATE INDEX certificates_by_age ON certificates (merchant, mode, imported_at DESC, id DESC);
