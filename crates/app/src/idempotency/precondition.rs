//! `If-Match`: a command for one version of a resource (RFC 9110, 13.1.1).

/// Versions of a resource that a command accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// Any version, if the resource exists.
    Any,
    /// One of these versions: the strong entity tags without their quotes.
    OneOf(Vec<String>),
}

impl IfMatch {
    /// Whether the condition holds for `version` of the resource; `None` if there is no resource.
    pub(crate) fn matches(&self, version: Option<&str>) -> bool {
        match self {
            Self::Any => version.is_some(),
            Self::OneOf(tags) => version.is_some_and(|version| tags.iter().any(|it| it == version)),
        }
    }
}
