//! Pagination: pages, and the cursors that name their ends.

mod cursor;
mod page;

<<<<<<< HEAD
pub use page::{ListPage, PageRequest};
pub(crate) use page::{list, listed, page};
=======
pub use page::ListPage;
pub(crate) use page::{gather, listed, page};
>>>>>>> face
