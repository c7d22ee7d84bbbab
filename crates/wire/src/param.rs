/// Path of a value in a request: a chain on the stack, without allocation until an error is reported.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// Body.
    Root,
    /// Field of an object.
    Field(&'a Self, &'a str),
    /// Item of an array.
    Item(&'a Self, usize),
}

impl Path<'_> {
    /// Returns the published form: dotted, with an index as a segment. The body has none.
    ///
    /// For a key that is not a plain name, returns the path of its object, so that a caller cannot inject text into a
    /// response or a log.
    pub(crate) fn param(&self) -> Option<String> {
        match *self {
            Self::Root => None,
            Self::Field(parent, key) if is_plain_name(key) => Some(parent.followed_by(key)),
            Self::Field(parent, _) => parent.param(),
            Self::Item(parent, index) => Some(parent.followed_by(&index.to_string())),
        }
    }

    fn followed_by(&self, segment: &str) -> String {
        match self.param() {
            Some(outer) => format!("{outer}.{segment}"),
            None => segment.to_owned(),
        }
    }
}

/// A plain name is a letter or underscore, then at most 63 letters, digits and underscores: never a card number.
fn is_plain_name(key: &str) -> bool {
    key.len() <= 64
        && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
