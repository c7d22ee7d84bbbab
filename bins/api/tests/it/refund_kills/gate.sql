-- Commits that write rows of a refund wait here, so that a test ends the process before the commit or after it.

-- Appends the written row to the list of this transaction, without renewals of leases.
CREATE FUNCTION gate_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    row_name text;
    is_lease boolean := false;
BEGIN
    CASE TG_TABLE_NAME
        WHEN 'refunds' THEN
            row_name := 'refund ' || replace(NEW.status, 'partially', 'partly');
            is_lease := TG_OP = 'UPDATE' AND NEW.version = OLD.version;
        WHEN 'attempts' THEN
            row_name := NEW.kind || ' ' || NEW.state;
        WHEN 'fiscal_numbers' THEN
            row_name := 'number';
        WHEN 'fiscal_documents' THEN
            row_name := concat_ws(' ',
                CASE NEW.kind WHEN 'credit_note' THEN 'note' ELSE 'original' END,
                CASE WHEN NEW.status <> 'issuing' THEN NEW.status END,
                coalesce(NEW.stage::json #>> '{stage,awaiting}', NEW.stage::json #>> '{0,stage,awaiting}'),
                CASE WHEN NEW.stage::json #>> '{stage,track_id}' IS NOT NULL THEN 'tracked' END
            );
            is_lease := TG_OP = 'UPDATE' AND NEW.version = OLD.version;
        ELSE
            IF TG_OP = 'UPDATE' AND NEW.epoch = OLD.epoch THEN
                RETURN NULL;
            END IF;
            row_name := 'key ' || CASE NEW.state
                WHEN 'in_progress' THEN 'locked' WHEN 'completed' THEN 'done' ELSE NEW.state
            END;
    END CASE;
    IF is_lease THEN
        row_name := row_name || ' leased';
    END IF;
    PERFORM set_config('gate.rows', concat_ws(E'\n', nullif(current_setting('gate.rows', true), ''), row_name), true);
    RETURN NULL;
END
$$;

-- Waits once in each transaction, at the commit. One transaction at a time waits for lock 1, which the test holds; the
-- others wait for lock 0. The name of the connection shows the written rows.
CREATE FUNCTION gate_wait() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    names text := current_setting('gate.rows', true);
BEGIN
    IF coalesce(names, '') = '' THEN
        RETURN NULL;
    END IF;
    PERFORM set_config('gate.rows', '', true);
    SELECT string_agg(DISTINCT name, '+' ORDER BY name) INTO names FROM regexp_split_to_table(names, E'\n') AS name;
    PERFORM set_config('application_name', names, false);
    PERFORM pg_advisory_xact_lock(0);
    PERFORM pg_advisory_xact_lock(1);
    RETURN NULL;
END
$$;

DO $$
DECLARE
    watched text;
BEGIN
    FOREACH watched IN ARRAY ARRAY['refunds', 'attempts', 'fiscal_numbers', 'fiscal_documents', 'idempotency_keys'] LOOP
        EXECUTE format(
            'CREATE TRIGGER gate_row AFTER INSERT OR UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION gate_row()', watched);
        EXECUTE format(
            'CREATE CONSTRAINT TRIGGER gate_wait AFTER INSERT OR UPDATE ON %I DEFERRABLE INITIALLY DEFERRED '
            'FOR EACH ROW EXECUTE FUNCTION gate_wait()', watched);
    END LOOP;
END
$$;

-- Returns the text with each time in milliseconds moved back.
CREATE FUNCTION gate_earlier(value text, milliseconds bigint) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(
        CASE WHEN piece[1] ~ '^1[6-9]\d{11}$' THEN (piece[1]::bigint - milliseconds)::text ELSE piece[1] END, ''
        ORDER BY position
    )
    FROM regexp_matches(value, '\d+|\D+', 'g') WITH ORDINALITY AS pieces (piece, position)
$$;

-- Moves the times of rows back.
CREATE FUNCTION gate_age(target text, condition text, milliseconds bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    assignments text;
BEGIN
    SELECT string_agg(format(
        CASE typname
            WHEN 'text' THEN '%1$I = gate_earlier(%1$I, %2$s)'
            ELSE '%1$I = CASE WHEN %1$I BETWEEN 1600000000000 AND 1999999999999 THEN %1$I - %2$s ELSE %1$I END'
        END, attname, milliseconds), ', ')
    INTO assignments
    FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
    WHERE attrelid = target::regclass AND attnum > 0 AND (typname = 'int8' OR attname IN ('legs', 'stage'));
    EXECUTE format('UPDATE %I SET %s WHERE %s', target, assignments, condition);
END
$$;

-- Lets time pass for refunds that are not finished, their notes, and requests without a response. Keys are not older
-- afterwards: a key expires a day after its first use.
CREATE FUNCTION gate_pass_time(milliseconds bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL session_replication_role = replica;
    PERFORM gate_age('refunds', 'due_at IS NOT NULL OR lease_until IS NOT NULL', milliseconds);
    PERFORM gate_age('attempts', 'refund IS NOT NULL', milliseconds);
    PERFORM gate_age('fiscal_documents', 'modifies IS NOT NULL AND due_at IS NOT NULL', milliseconds);
    UPDATE idempotency_keys SET lease_until = lease_until - milliseconds WHERE lease_until IS NOT NULL;
END
$$;
