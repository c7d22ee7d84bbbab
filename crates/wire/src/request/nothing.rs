//! Bodies of commands that say everything by their path.

use domain::Refusal;

use crate::{json::Json, read};

/// `{}`, and no field in it.
pub(super) fn nothing(body: &Json) -> Result<(), Refusal> {
    read::request(body, |_| Some(()))
}
