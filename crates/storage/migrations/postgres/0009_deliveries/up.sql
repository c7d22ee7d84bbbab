-- Documents that are wanted by e-mail: work for whoever sends mail. Number 0 of a document was asked for together
-- with it, each other later. One that waits is sent once its document is issued, and never if that is canceled.
CREATE TABLE deliveries (
    merchant     text NOT NULL,
    mode         text NOT NULL,
    document     text NOT NULL,
    number       bigint NOT NULL CHECK (number >= 0),
    email        text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 320),
    status       text NOT NULL CHECK (status IN ('waiting_for_document', 'queued', 'sent', 'failed', 'canceled')),
    requested_at bigint NOT NULL,
    PRIMARY KEY (merchant, mode, document, number),
    FOREIGN KEY (merchant, mode, document) REFERENCES fiscal_documents
);
CREATE INDEX deliveries_waiting ON deliveries (requested_at) WHERE status = 'waiting_for_document';

-- Documents from before this table; none of theirs was sent yet.
ALTER TABLE fiscal_documents NO FORCE ROW LEVEL SECURITY;
INSERT INTO deliveries
SELECT merchant, mode, id, 0, delivery::jsonb ->> 'email', 'waiting_for_document', created_at
FROM fiscal_documents WHERE delivery::jsonb ->> 'email' IS NOT NULL;
ALTER TABLE fiscal_documents FORCE ROW LEVEL SECURITY;

SELECT hold_to_tenant('deliveries');
