use diesel::{QueryableByName, sql_types::Text};

/// Plain SQL on a database, without the stores.
pub(crate) trait Raw {
    /// Returns the column `text` of a query.
    async fn texts(&self, query: &str) -> Vec<String>;

    /// Returns the SQL for the bytes in `column` as lower-case hexadecimal digits.
    fn hex(&self, column: &str) -> String;

    /// Runs a statement. Returns the message of the error.
    async fn run(&self, statement: &str) -> Result<(), String>;
}

#[derive(QueryableByName)]
pub(crate) struct TextRow {
    #[diesel(sql_type = Text)]
    pub(crate) text: String,
}
