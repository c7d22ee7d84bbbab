use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use super::database::Database;

/// Reader of the records that one database writes to the write-ahead log of its server.
pub(crate) struct WriteAheadLog {
    connection: AsyncPgConnection,
    /// End of the records that were read.
    position: String,
    /// Whether the log has no copies of pages, which depend on the time of a checkpoint.
    pub(crate) is_without_pages: bool,
}

/// What transactions have written to the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, QueryableByName)]
pub(crate) struct Logged {
    /// Transactions that wrote.
    #[diesel(sql_type = BigInt)]
    pub(crate) commits: i64,
    /// Bytes of their records, without copies of pages.
    #[diesel(sql_type = BigInt)]
    pub(crate) bytes: i64,
}

#[derive(QueryableByName)]
struct Position {
    #[diesel(sql_type = Text)]
    position: String,
    #[diesel(sql_type = Bool)]
    is_without_pages: bool,
}

/// Records of transactions that changed a page of the tables in this database, and other records about these pages. The
/// files of tables have numbers from 16384 on; those below are the catalog, which is vacuumed at any time.
const RECORDS: &str = "
    WITH records AS (
        SELECT xid::text AS xid, record_length - fpi_length AS bytes,
            block_ref ~ format(' rel [0-9]+/%s/(1[6-9][0-9]{3}|[2-9][0-9]{4}|[0-9]{6,}) ', oid) AS is_here
        FROM pg_database, pg_get_wal_records_info('FROM', 'TO') WHERE datname = current_database()
    ), here AS (SELECT DISTINCT xid FROM records WHERE is_here)
    SELECT count(DISTINCT xid) FILTER (WHERE xid <> '0') AS commits, coalesce(sum(bytes), 0)::bigint AS bytes
    FROM records WHERE xid IN (SELECT xid FROM here) AND (xid <> '0' OR is_here)";

impl WriteAheadLog {
    /// Reads from now on. Vacuum of the database stops, because its time is not known.
    pub(crate) async fn of(database: &Database) -> Self {
        const NO_VACUUM: &str = "DO $$ DECLARE it regclass; BEGIN
            FOR it IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
                EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off, toast.autovacuum_enabled = off)', it);
            END LOOP;
        END $$";

        let mut connection = AsyncPgConnection::establish(&database.superusers_url()).await.unwrap();
        connection.batch_execute("CREATE EXTENSION pg_walinspect").await.unwrap();
        connection.batch_execute(NO_VACUUM).await.unwrap();
        let Position { position, is_without_pages } = now(&mut connection).await;
        Self { connection, position, is_without_pages }
    }

    /// Reads the records since the last call.
    pub(crate) async fn read(&mut self) -> Logged {
        let end = now(&mut self.connection).await.position;
        if end == self.position {
            return Logged::default();
        }
        let query = RECORDS.replace("'FROM'", &format!("'{}'", self.position)).replace("'TO'", &format!("'{end}'"));
        self.position = end;
        sql_query(query).get_result(&mut self.connection).await.unwrap()
    }
}

async fn now(connection: &mut AsyncPgConnection) -> Position {
    const NOW: &str = "SELECT pg_current_wal_flush_lsn()::text AS position, \
                       current_setting('full_page_writes') = 'off' AS is_without_pages";
    sql_query(NOW).get_result(connection).await.unwrap()
}
