/// Where a value stands in a request. A chain on the stack: it costs nothing until something is wrong.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The body itself.
    Root,
    /// A field of an object.
    Field(&'a Self, &'a str),
    /// An item of an array.
    Item(&'a Self, usize),
}

impl Path<'_> {
    /// The published spelling: dotted, an index as a segment. The body itself has none.
    ///
    /// A key that came from outside is only repeated if it is a plain name. Of any other the object that holds it is
    /// named, so that no answer and no log can be made to say what a caller wants it to say.
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

/// A letter or underscore, then at most 63 letters, digits and underscores: never a card number.
fn is_plain_name(key: &str) -> bool {
    key.len() <= 64
        && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
}
