-- What a unit of another currency is worth in pesos, in ten-thousandths. What a sale was made at is kept with its
-- document; this is what the next one is made at. A rate of the same day takes the place of those before it, which stay.
CREATE TABLE exchange_rates (
    merchant text NOT NULL REFERENCES merchants,
    mode     text NOT NULL CHECK (mode IN ('test', 'live')),
    currency text NOT NULL CHECK (currency IN ('USD')),
    day      text NOT NULL,
    set_at   bigint NOT NULL,
    ratio    bigint NOT NULL CHECK (ratio BETWEEN 10000 AND 9999999),
    source   text NOT NULL,
    last_day text NOT NULL CHECK (last_day >= day),
    PRIMARY KEY (merchant, mode, currency, day, set_at)
);
SELECT hold_to_tenant('exchange_rates');

CREATE TRIGGER exchange_rates_never_change BEFORE UPDATE OR DELETE ON exchange_rates
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
