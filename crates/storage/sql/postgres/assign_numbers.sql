-- Assigns numbers of the oldest range that has numbers left, and returns the number of each revision.
--
-- A concurrent statement of another process waits for the lock on the range. Then `open` reads the range as that process
-- left it, but `oldest` was read before. So no number is returned if that range has none left; the next statement sees
-- the next range.
WITH requested AS (
    -- A revision that is requested several times has one number.
    SELECT :merchant::text AS merchant, :mode::text AS mode, item.document, item.revision,
        min(item.requested_at) AS requested_at
    FROM unnest(:documents::text[], :revisions::bigint[], :requested_at::bigint[])
        AS item (document, revision, requested_at)
    GROUP BY item.document, item.revision),
known AS (
    SELECT number.document, number.revision, number.kind, number.sequence, number.valid_until, number.issue_date
    FROM requested JOIN fiscal_numbers number USING (merchant, mode, document, revision)),
unknown AS (
    SELECT requested.*,
        row_number() OVER (ORDER BY requested.requested_at, requested.document, requested.revision) - 1 AS place
    FROM requested
    WHERE NOT EXISTS (SELECT FROM fiscal_numbers number
        WHERE number.merchant = requested.merchant AND number.mode = requested.mode
        AND number.document = requested.document AND number.revision = requested.revision)),
oldest AS MATERIALIZED (
    SELECT issuer, environment, kind, first FROM number_ranges
    WHERE merchant = :merchant AND mode = :mode AND environment = :environment AND issuer = :issuer AND kind = :kind
        AND next <= last AND (valid_until IS NULL OR valid_until >= :today)
    ORDER BY created_at, first LIMIT 1),
open AS (
    SELECT range.* FROM oldest JOIN number_ranges range USING (issuer, environment, kind, first)
    WHERE range.next <= range.last AND EXISTS (SELECT FROM unknown) FOR UPDATE OF range),
assigned AS (
    -- The last day of the range is printed on the document, so it is stored with the number.
    INSERT INTO fiscal_numbers (issuer, environment, kind, sequence, merchant, mode, document, revision, valid_until,
        issue_date, assigned_at)
    SELECT open.issuer, open.environment, open.kind, open.next + unknown.place, unknown.merchant, unknown.mode,
        unknown.document, unknown.revision, CASE WHEN :has_last_day THEN open.valid_until END, :today,
        unknown.requested_at
    FROM open JOIN unknown ON open.next + unknown.place <= open.last
    RETURNING document, revision, kind, sequence, valid_until, issue_date),
moved AS (
    UPDATE number_ranges range SET next = open.next + (SELECT count(*) FROM assigned) FROM open
    WHERE range.issuer = open.issuer AND range.environment = open.environment AND range.kind = open.kind
        AND range.first = open.first)
SELECT * FROM known UNION ALL SELECT * FROM assigned
