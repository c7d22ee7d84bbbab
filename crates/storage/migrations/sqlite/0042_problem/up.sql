-- What a document waits for that is held up: whoever clears that makes it due. A document that is held up already has it with
-- its next try.
ALTER TABLE fiscal_documents ADD COLUMN problem text CHECK (problem IS NULL OR status = 'delayed');
CREATE INDEX fiscal_documents_held_up ON fiscal_documents (merchant, mode, problem) WHERE problem IS NOT NULL;
