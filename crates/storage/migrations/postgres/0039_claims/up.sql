-- How much more of an endpoint may be in flight. Dispatchers ask one after the other, and each sees what the one before it has
-- claimed, although its own statement began before that was there: of two at one moment, both would find all of the room free.
CREATE FUNCTION room_left(whose text, which text, of text, at bigint, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7301844519426064);
    RETURN (
        SELECT greatest(0, most - count(*)) FROM webhook_deliveries it
        WHERE it.merchant = whose AND it.mode = which AND it.endpoint = of AND it.lease_until > at
    );
END
$$;
