-- Cards that providers keep while a shared bill may outlast what issuers reserve: the providers' names for them, sealed.
CREATE TABLE kept_cards (
    merchant text NOT NULL REFERENCES merchants,
    mode     text NOT NULL CHECK (mode IN ('test', 'live')),
    attempt  text NOT NULL,
    payment  text NOT NULL,
    account  text NOT NULL,
    provider text NOT NULL CHECK (provider IN ('azul', 'simulator')),
    sealed   blob NOT NULL,
    due_at   integer NOT NULL,
    PRIMARY KEY (merchant, mode, attempt)
) STRICT;
CREATE INDEX kept_cards_due ON kept_cards (due_at);
