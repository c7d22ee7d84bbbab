//! Request bodies as one strict tree, and its canonical bytes.

mod canonical;
mod reader;

pub use canonical::canonical;
pub use reader::read;

pub(crate) use canonical::canonical_secret;
pub(crate) use reader::repeated_key;

use zeroize::Zeroizing;

/// A JSON value as it was sent.
///
/// It has no `Debug` and no `Clone`, and its text is wiped when it is dropped: one body holds a card number.
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without fraction or exponent, within 64 bits.
    Integer(i64),
    /// Any other number. It stays in the tree so that the reader of the field can say which field it is.
    Unreadable,
    /// Text.
    String(Zeroizing<String>),
    /// A list.
    Array(Vec<Self>),
    /// Fields in the order sent; no key twice.
    Object(Vec<(String, Self)>),
}

impl Json {
    /// A body nests objects and arrays at most this deep, itself included.
    pub const MAX_DEPTH: usize = 16;
    /// A body has at most this many values, itself included.
    pub const MAX_NODES: usize = 20_000;
    /// A key has at most this many bytes.
    pub const MAX_KEY: usize = 1024;
}
