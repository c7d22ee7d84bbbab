//! `If-Match`: a command for one version of a resource (RFC 9110, 13.1.1).

use domain::{Precondition, sale::Sale};

use crate::{Error, IdempotentRequest};

/// Versions of a resource that a command accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// Any version, if the resource exists.
    Any,
    /// One of these versions: the strong entity tags without their quotes.
    OneOf(Vec<String>),
}

/// Returns the version of a sale, which both of its resources share.
pub fn sale_version(sale: &Sale) -> String {
    format!("{}-{}", sale.payment.version(), sale.document.version())
}

impl IdempotentRequest {
    /// Returns the outcome for `version` of the resource; `None` if the resource does not exist.
    ///
    /// A decision that is based on `version` must fail to commit if another version is current by then.
    ///
    /// # Errors
    ///
    /// [`Precondition::PreconditionFailed`] replaces every outcome except refusals that do not depend on the state of
    /// the resource, which come first in the published order.
    pub(crate) fn conditional<T>(&self, version: Option<&str>, decided: Result<T, Error>) -> Result<T, Error> {
        match decided {
            Err(error) if error.is_before_state() => Err(error),
            _ if !self.matches(version) => Err(Error::Refusal(Precondition::PreconditionFailed.into())),
            decided => decided,
        }
    }

    fn matches(&self, version: Option<&str>) -> bool {
        match &self.if_match {
            None => true,
            Some(IfMatch::Any) => version.is_some(),
            Some(IfMatch::OneOf(tags)) => version.is_some_and(|version| tags.iter().any(|it| it == version)),
        }
    }
}
