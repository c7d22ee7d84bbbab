use std::{collections::BTreeMap, future::Future, net::SocketAddr};

/// Values of the placeholders in braces.
pub type Placeholders = BTreeMap<String, String>;

/// Number of rows and content of each table.
pub type TableContents = BTreeMap<String, (u64, String)>;

/// Server under test, with stores and log.
pub trait ServerUnderTest {
    /// Returns the address of the listener.
    fn address(&self) -> SocketAddr;

    /// Returns keys, identifiers and bodies for requests. The credential `KEY` may read the payment `P`.
    fn placeholders(&mut self) -> &mut Placeholders;

    /// Returns the contents of all tables.
    fn stored(&mut self) -> impl Future<Output = TableContents>;

    /// Applies a change to the server, such as `store down`.
    fn apply(&mut self, change: &str) -> impl Future<Output = ()>;

    /// Returns the log lines with a value that no log may contain.
    fn leaked_log_lines(&self) -> Vec<String>;

    /// Stops the server.
    fn stop(self) -> impl Future<Output = ()>;
}
