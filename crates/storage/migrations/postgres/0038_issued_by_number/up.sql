-- Buyers name a document by its number when they say what they think of it.
CREATE INDEX fiscal_documents_issued_by_number ON fiscal_documents (merchant, mode, issuer, environment, fiscal_number)
    WHERE status = 'issued';
