-- Instants are milliseconds since 1970, amounts are minor units, JSON is text: both backends keep the same values.
-- Keys begin with merchant and mode, so that merchants can be spread over machines.

-- Ends a statement, and with it everything that it wrote, unless its condition is met: a decision is one statement.
CREATE FUNCTION demand(is_met boolean, otherwise text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF is_met THEN
        RETURN true;
    END IF;
    RAISE EXCEPTION USING MESSAGE = otherwise;
END
$$;

-- For what is written once.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% never change', TG_TABLE_NAME;
END
$$;

CREATE TABLE merchants (
    id              text PRIMARY KEY,
    is_live_enabled boolean NOT NULL,
    created_at      bigint NOT NULL
);

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
    is_propina_applicable boolean NOT NULL,
    default_checkout_mode text NOT NULL CHECK (default_checkout_mode IN ('itemized', 'grouped', 'amount_only')),
    payment_window        bigint NOT NULL CHECK (payment_window > 0),
    is_split_enabled      boolean NOT NULL,
    version               bigint NOT NULL,
    PRIMARY KEY (merchant, mode)
);

CREATE TABLE accounts (
    merchant           text NOT NULL REFERENCES merchants,
    mode               text NOT NULL CHECK (mode IN ('test', 'live')),
    id                 text NOT NULL,
    provider           text NOT NULL,
    venue_reference    text,
    lifecycle          text NOT NULL CHECK (lifecycle IN ('pending', 'active', 'suspended', 'closed')),
    credential_version bigint NOT NULL,
    abilities          text NOT NULL,
    created_at         bigint NOT NULL,
    PRIMARY KEY (merchant, mode, id)
);

-- A key is found by its digest alone: it is what says whose it is.
CREATE TABLE merchant_keys (
    digest     bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    merchant   text NOT NULL REFERENCES merchants,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    role       text NOT NULL CHECK (role IN ('standard', 'admin')),
    accounts   text NOT NULL,
    hint       text NOT NULL,
    created_at bigint NOT NULL,
    ends_at    bigint
);
CREATE INDEX merchant_keys_of_tenant ON merchant_keys (merchant, mode, created_at);

CREATE TABLE certificates (
    merchant    text NOT NULL REFERENCES merchants,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    id          text NOT NULL,
    subject     text NOT NULL,
    not_before  bigint NOT NULL,
    not_after   bigint NOT NULL,
    certificate bytea NOT NULL,
    sealed_key  bytea NOT NULL,
    imported_at bigint NOT NULL,
    PRIMARY KEY (merchant, mode, id)
);
CREATE INDEX certificates_by_age ON certificates (merchant, mode, imported_at DESC, id DESC);
