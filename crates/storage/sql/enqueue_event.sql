-- One event for each enabled endpoint that has one of the three patterns of its kind; `find` returns the position of a
-- text in another one, from 1. The casts are necessary: a parameter of a UNION does not get the type of its column.
SELECT merchant, mode, id, CAST(:occurred_at AS bigint), :subject, :sequence, :kind, 0, 'pending',
    CAST(:occurred_at AS bigint)
FROM webhook_endpoints
WHERE merchant = :merchant AND mode = :mode AND id <> :excluded AND disabled IS NULL AND removed_at IS NULL
    AND (:find(enabled_events, :kind_pattern) > 0
    OR :find(enabled_events, :group_pattern) > 0
    OR :find(enabled_events, :all_pattern) > 0)
