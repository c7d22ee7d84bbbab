use std::path::Path;

use diesel::{
    Connection, QueryableByName, SqliteConnection, sql_query,
    sql_types::{BigInt, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use testkit::bad_inputs::TableContents;

/// Connection that reads the tables beside the server.
pub(crate) enum TableReader {
    Sqlite { connection: SqliteConnection, query: String, rows: String },
    Postgres { connection: Box<AsyncPgConnection>, query: String, rows: String },
}

#[derive(QueryableByName)]
struct Column {
    #[diesel(sql_type = Text)]
    table: String,
    #[diesel(sql_type = Text)]
    columns: String,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    row: String,
}

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    count: i64,
    #[diesel(sql_type = Text)]
    content: String,
}

impl TableReader {
    pub(super) fn at_sqlite(path: &Path) -> Self {
        const TABLES: &str = "SELECT t.name AS \"table\", group_concat('quote(' || c.name || ')', '||'',''||') AS columns \
                              FROM sqlite_schema t, pragma_table_info(t.name) c \
                              WHERE t.type = 'table' AND t.name NOT LIKE '\\_\\_%' ESCAPE '\\' \
                              AND t.name NOT LIKE 'sqlite%' GROUP BY t.name";

        let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        let tables: Vec<Column> = diesel::RunQueryDsl::load(sql_query(TABLES), &mut connection).unwrap();
        let rows = union(&tables, |table, columns| format!("SELECT '{table}: ' || {columns} AS \"row\" FROM {table}"));
        let query = union(&tables, |table, columns| {
            format!(
                "SELECT '{table}' AS name, count(*) AS count, coalesce(group_concat(line), '') AS content \
                 FROM (SELECT {columns} AS line FROM {table} ORDER BY 1)"
            )
        });
        Self::Sqlite { connection, query, rows }
    }

    pub(super) async fn at_postgres(url: &str) -> Self {
        const TABLES: &str = "SELECT tablename::text AS \"table\", '' AS columns FROM pg_tables \
                              WHERE schemaname = 'public' AND tablename NOT LIKE '\\_\\_%'";

        let mut connection = AsyncPgConnection::establish(url).await.unwrap();
        let tables: Vec<Column> = diesel_async::RunQueryDsl::load(sql_query(TABLES), &mut connection).await.unwrap();
        let rows = union(&tables, |table, _| format!("SELECT '{table}: ' || it::text AS \"row\" FROM {table} it"));
        let query = union(&tables, |table, _| {
            format!(
                "SELECT '{table}' AS name, count(*) AS count, \
                 coalesce(md5(string_agg(it::text, ',' ORDER BY it::text)), '') AS content FROM {table} it"
            )
        });
        Self::Postgres { connection: Box::new(connection), query, rows }
    }

    /// Returns the number of rows and a digest of each table.
    pub(crate) async fn stored(&mut self) -> TableContents {
        let tables: Vec<Table> = match self {
            Self::Sqlite { connection, query, .. } => {
                diesel::RunQueryDsl::load(sql_query(query.as_str()), connection).unwrap()
            }
            Self::Postgres { connection, query, .. } => {
                diesel_async::RunQueryDsl::load(sql_query(query.as_str()), connection).await.unwrap()
            }
        };
        tables.into_iter().map(|Table { name, count, content }| (name, (count.unsigned_abs(), content))).collect()
    }

    /// Returns each row as text after the name of the table; bytes are hexadecimal.
    pub(crate) async fn rows(&mut self) -> Vec<String> {
        let mut rows: Vec<Row> = match self {
            Self::Sqlite { connection, rows, .. } => {
                diesel::RunQueryDsl::load(sql_query(rows.as_str()), connection).unwrap()
            }
            Self::Postgres { connection, rows, .. } => {
                diesel_async::RunQueryDsl::load(sql_query(rows.as_str()), connection).await.unwrap()
            }
        };
        rows.sort_by(|one, other| one.row.cmp(&other.row));
        rows.into_iter().map(|it| it.row).collect()
    }
}

fn union(tables: &[Column], query: impl Fn(&str, &str) -> String) -> String {
    assert!(tables.len() > 10, "the tables are found");
    let queries: Vec<String> = tables.iter().map(|Column { table, columns }| query(table, columns)).collect();
    queries.join(" UNION ALL ")
}
