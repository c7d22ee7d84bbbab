-- What tells whether a process has the master key: a value that everybody knows, sealed under it. It is nobody's.
CREATE TABLE key_checks (
    id     integer PRIMARY KEY CHECK (id = 1),
    sealed blob NOT NULL
);
