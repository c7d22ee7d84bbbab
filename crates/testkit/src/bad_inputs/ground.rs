use std::{collections::BTreeMap, future::Future, net::SocketAddr};

/// What stands for the names in braces.
pub type Names = BTreeMap<String, String>;

/// Each table: how many rows it has, and what is in them.
pub type Stored = BTreeMap<String, (u64, String)>;

/// A server that can be told all this, with the world around it.
pub trait ServerUnderTest {
    /// Where it listens.
    fn address(&self) -> SocketAddr;

    /// Keys, identifiers and bodies that requests are made of. `KEY` reads the payment `P`.
    fn names(&mut self) -> &mut Names;

    /// Everything that is stored.
    fn stored(&mut self) -> impl Future<Output = Stored>;

    /// Lets something happen to the world, as in `store down`.
    fn happen(&mut self, what: &str) -> impl Future<Output = ()>;

    /// Lines of the log that hold what no log may hold.
    fn leaks(&self) -> Vec<String>;

    /// Ends the server.
    fn end(self) -> impl Future<Output = ()>;
}
