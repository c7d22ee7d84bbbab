//! Pagination: pages, and the cursors that name their ends.

mod cursor;
mod page;

pub use page::ListPage;
pub(crate) use page::{list, listed, page};
