use std::{collections::BTreeMap, future::Future, net::SocketAddr};

/// Values of the names in braces.
pub type Placeholders = BTreeMap<String, String>;

/// Number of rows and content of each table.
pub type TableContents = BTreeMap<String, (u64, String)>;

/// A server under test, with stores and log.
pub trait ServerUnderTest {
    /// Address of the listener.
    fn address(&self) -> SocketAddr;

    /// Keys, identifiers and bodies for requests. `KEY` reads the payment `P`.
    fn placeholders(&mut self) -> &mut Placeholders;

    /// Returns everything stored.
    fn stored(&mut self) -> impl Future<Output = TableContents>;

    /// Applies a change to the server, such as `store down`.
    fn apply(&mut self, what: &str) -> impl Future<Output = ()>;

    /// Log lines with a value that no log may contain.
    fn leaked_log_lines(&self) -> Vec<String>;

    /// Stops the server.
    fn stop(self) -> impl Future<Output = ()>;
}
