-- When each merchant key was last used, to the minute or so. Apart from the keys: those are read with every request,
-- and must not wait for anybody who writes.
CREATE UNIQUE INDEX merchant_keys_within_tenant ON merchant_keys (merchant, mode, digest);
CREATE TABLE merchant_key_uses (
    merchant     text NOT NULL,
    mode         text NOT NULL,
    digest       bytea NOT NULL,
    last_used_at bigint NOT NULL,
    PRIMARY KEY (merchant, mode, digest),
    FOREIGN KEY (merchant, mode, digest) REFERENCES merchant_keys (merchant, mode, digest)
);

SELECT hold_to_tenant('merchant_key_uses');
