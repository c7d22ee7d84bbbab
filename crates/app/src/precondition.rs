//! `If-Match`: a command for one version of a resource (RFC 9110, 13.1.1).

use domain::{Precondition, sale::Sale};

use crate::{Error, Keyed};

/// The versions of a resource that a command is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// Any, if there is the resource.
    Any,
    /// One of these, as strong entity tags give them within their quotes.
    OneOf(Vec<String>),
}

/// The version of a sale, whichever of its two resources is shown.
pub fn sale_version(sale: &Sale) -> String {
    format!("{}-{}", sale.payment.version(), sale.document.version())
}

impl Keyed {
    /// What was decided about `version` of the resource; `None` if there is no such resource.
    ///
    /// A decision that is based on `version` must fail to commit if that is no longer the present one.
    ///
    /// # Errors
    ///
    /// [`Precondition::PreconditionFailed`] instead of any outcome but a refusal that does not depend on the state of the
    /// resource, which comes first in the published order.
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
