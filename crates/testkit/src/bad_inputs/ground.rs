use std::{collections::BTreeMap, future::Future, net::SocketAddr};

/// What stands for the names in braces.
pub type Placeholders = BTreeMap<String, String>;

/// Each table: how many rows it has, and what is in them.
pub type TableContents = BTreeMap<String, (u64, String)>;

/// A server that can be told all this, with the world around it.
pub trait ServerUnderTest {
    /// Where it listens.
    fn address(&self) -> SocketAddr;

    /// Keys, identifiers and bodies that requests are made of. `KEY` reads the payment `P`.
    fn placeholders(&mut self) -> &mut Placeholders;

    /// Everything that is stored.
    fn stored(&mut self) -> impl Future<Output = TableContents>;

    /// Lets something happen to the world, as in `store down`.
    fn apply(&mut self, what: &str) -> impl Future<Output = ()>;

    /// Lines of the log that hold what no log may hold.
    fn leaked_log_lines(&self) -> Vec<String>;

    /// Ends the server.
    fn stop(self) -> impl Future<Output = ()>;
}
