use diesel::{QueryableByName, sql_types::Text};

/// A database seen from below: plain SQL, past the stores.
pub(crate) trait Raw {
    /// The texts that a query gives in its column `text`.
    async fn texts(&self, query: &str) -> Vec<String>;

    /// How the bytes in `column` are spelled in lower case.
    fn hex(&self, column: &str) -> String;

    /// Runs a statement, or says why it was refused.
    async fn run(&self, statement: &str) -> Result<(), String>;
}

#[derive(QueryableByName)]
pub(crate) struct Line {
    #[diesel(sql_type = Text)]
    pub(crate) text: String,
}
