-- Copies of the public register of taxpayers. They are nobody's, and everybody reads them: there is no tenant in them.
CREATE TABLE register_copies (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    as_of     bigint NOT NULL,
    begun_at  bigint NOT NULL,
    is_whole  boolean NOT NULL DEFAULT false
);

CREATE TABLE taxpayers (
    copy       bigint NOT NULL,
    tax_id     text NOT NULL,
    legal_name text NOT NULL,
    status     text NOT NULL,
    PRIMARY KEY (copy, tax_id)
);
