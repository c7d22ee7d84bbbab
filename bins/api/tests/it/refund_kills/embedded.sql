-- Writes of refunds, credit notes and their numbers, one or two in each transaction. The write that `stop_at` names does
-- not end, so that a test kills the process within that transaction.
CREATE TABLE gate (stop_at text);
INSERT INTO gate VALUES (NULL);
CREATE TABLE gate_writes (name text NOT NULL);
CREATE VIEW gate_endless AS
    WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter) SELECT n FROM counter;

CREATE TRIGGER gate_written AFTER INSERT ON gate_writes BEGIN
    SELECT CASE WHEN NEW.name = (SELECT stop_at FROM gate) THEN (SELECT count(*) FROM gate_endless) END;
END;
CREATE TRIGGER gate_refund_leased AFTER UPDATE ON refunds WHEN NEW.version = OLD.version BEGIN
    INSERT INTO gate_writes VALUES ('leased refund ' || NEW.status);
END;
CREATE TRIGGER gate_attempt AFTER INSERT ON attempts BEGIN
    INSERT INTO gate_writes VALUES (NEW.kind || ' ' || NEW.state);
END;
CREATE TRIGGER gate_attempt_changed AFTER UPDATE ON attempts BEGIN
    INSERT INTO gate_writes VALUES (NEW.kind || ' ' || NEW.state);
END;
CREATE TRIGGER gate_number AFTER INSERT ON fiscal_numbers BEGIN
    INSERT INTO gate_writes VALUES ('number');
END;
CREATE TRIGGER gate_note_changed AFTER UPDATE ON fiscal_documents
    WHEN NEW.kind = 'credit_note' AND NEW.version > OLD.version BEGIN
    INSERT INTO gate_writes VALUES (
        'note ' || NEW.status || coalesce(' ' || json_extract(NEW.stage, '$.stage.awaiting'), '')
    );
END;
CREATE TRIGGER gate_note_leased AFTER UPDATE ON fiscal_documents WHEN NEW.version = OLD.version BEGIN
    INSERT INTO gate_writes VALUES ('leased note ' || NEW.status);
END;
