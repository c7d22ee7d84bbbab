-- What is signed and drawn is compressed as it is stored. The older method takes longest over what does not become smaller by
-- it, which a drawn document does not. A server that was built without the newer one goes on with the older.
DO $$
BEGIN
    EXECUTE 'ALTER TABLE artifacts ALTER COLUMN bytes SET COMPRESSION lz4';
EXCEPTION
    WHEN feature_not_supported OR syntax_error THEN NULL;
END
$$;
