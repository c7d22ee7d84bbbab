-- How much has come lately is counted before more of it is kept.
CREATE INDEX received_documents_by_time ON received_documents (merchant, mode, received_at);
