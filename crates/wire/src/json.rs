//! Request bodies as one strict tree, and the canonical bytes of a tree.

mod canonical;
mod reader;

pub use canonical::canonical;
pub use reader::read;

pub(crate) use canonical::canonical_secret;
pub(crate) use reader::repeated_key;

use zeroize::Zeroizing;

/// JSON value as sent.
///
/// Without `Debug` and `Clone`, and text is wiped when a value is dropped, because one request contains a card number.
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Number without fraction or exponent, within 64 bits.
    Integer(i64),
    /// Any other number. The reader of the field refuses the number.
    Unreadable,
    /// Text.
    String(Zeroizing<String>),
    /// Array.
    Array(Vec<Self>),
    /// Fields in the order sent, without repeated keys.
    Object(Vec<(String, Self)>),
}

impl Json {
    /// Maximum length of a body in bytes.
    pub const MAX_BYTES: usize = 512 * 1024;
    /// Maximum depth of nested objects and arrays, with the body.
    pub const MAX_DEPTH: usize = 16;
    /// Maximum number of values, with the body.
    pub const MAX_NODES: usize = 20_000;
    /// Maximum length of a key in bytes.
    pub const MAX_KEY: usize = 1024;
}
