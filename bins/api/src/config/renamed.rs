//! Old names of variables. They are refused because their value would be ignored.

use std::env;

use crate::failure::{Done, Failure};

/// Old and new name of each renamed variable.
const RENAMED: &[(&str, &str)] = &[
    ("COBRO_AZUL_AUTHORITIES", super::azul::CA_FILE),
    ("COBRO_DGII_AUTHORITIES", super::dgii::CA_FILE),
    ("COBRO_EXCHANGE_AUTHORITIES", super::deployment::INTERCHANGE_CA_FILE),
    ("COBRO_SMTP_AUTHORITIES", super::smtp::CA_FILE),
];

/// Refuses an environment that sets a variable by its old name.
pub(crate) fn refuse_old_variables() -> Done {
    RENAMED.iter().try_for_each(|(old, _)| if env::var_os(old).is_some() { refuse_old_name(old) } else { Ok(()) })
}

/// Refuses `name` if it is the old name of a variable; the message gives the new one.
pub(super) fn refuse_old_name(name: &str) -> Done {
    let renamed = RENAMED.iter().find(|(old, _)| *old == name);
    renamed.map_or(Ok(()), |(old, new)| Err(Failure::new(format!("{old} was renamed: set {new} instead"))))
}
