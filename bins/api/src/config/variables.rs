//! Names of the environment variables that are settings as well.

use std::env;

use crate::failure::{Done, Failure};

pub(super) const DATABASE_URL: &str = "COBRO_DATABASE_URL";
pub(super) const MASTER_KEY_FILE: &str = "COBRO_MASTER_KEY_FILE";
pub(super) const LISTEN: &str = "COBRO_LISTEN";
pub(super) const WORK_LISTEN: &str = "COBRO_WORK_LISTEN";
pub(super) const PUBLIC_URL: &str = "COBRO_PUBLIC_URL";
pub(super) const CHECKOUT_URL: &str = "COBRO_CHECKOUT_URL";
pub(super) const ALLOWED_HOSTS: &str = "COBRO_ALLOWED_HOSTS";
pub(super) const TRUSTED_PROXIES: &str = "COBRO_TRUSTED_PROXIES";
pub(super) const INTERCHANGE_CA_FILE: &str = "COBRO_INTERCHANGE_CA_FILE";
pub(super) const AZUL_TEST_URLS: &str = "COBRO_AZUL_TEST_URLS";
pub(super) const AZUL_LIVE_URLS: &str = "COBRO_AZUL_LIVE_URLS";
pub(super) const AZUL_CA_FILE: &str = "COBRO_AZUL_CA_FILE";
pub(super) const DGII_URLS: &str = "COBRO_DGII_URLS";
pub(super) const DGII_CA_FILE: &str = "COBRO_DGII_CA_FILE";
pub(super) const CATALOG: &str = "COBRO_CATALOG";
pub(super) const SMTP_URL: &str = "COBRO_SMTP_URL";
pub(super) const SMTP_FROM: &str = "COBRO_SMTP_FROM";
pub(super) const SMTP_USER: &str = "COBRO_SMTP_USER";
pub(super) const SMTP_PASSWORD_FILE: &str = "COBRO_SMTP_PASSWORD_FILE";
pub(super) const SMTP_CA_FILE: &str = "COBRO_SMTP_CA_FILE";

/// Names that a settings file may contain.
pub(super) const SETTINGS: &[&str] = &[
    DATABASE_URL,
    MASTER_KEY_FILE,
    LISTEN,
    WORK_LISTEN,
    PUBLIC_URL,
    CHECKOUT_URL,
    ALLOWED_HOSTS,
    TRUSTED_PROXIES,
    INTERCHANGE_CA_FILE,
    AZUL_TEST_URLS,
    AZUL_LIVE_URLS,
    AZUL_CA_FILE,
    DGII_URLS,
    DGII_CA_FILE,
    CATALOG,
    SMTP_URL,
    SMTP_FROM,
    SMTP_USER,
    SMTP_PASSWORD_FILE,
    SMTP_CA_FILE,
];

/// Old and new names of renamed variables. Old names are refused: their values would be ignored.
const RENAMED: &[(&str, &str)] = &[
    ("COBRO_AZUL_AUTHORITIES", AZUL_CA_FILE),
    ("COBRO_DGII_AUTHORITIES", DGII_CA_FILE),
    ("COBRO_EXCHANGE_AUTHORITIES", INTERCHANGE_CA_FILE),
    ("COBRO_SMTP_AUTHORITIES", SMTP_CA_FILE),
];

/// Refuses an environment that sets a variable by an old name.
pub(crate) fn refuse_old_variables() -> Done {
    RENAMED.iter().try_for_each(|(old, _)| if env::var_os(old).is_some() { refuse_old_name(old) } else { Ok(()) })
}

/// Refuses an old name of a variable; the message gives the new name.
pub(super) fn refuse_old_name(name: &str) -> Done {
    let renamed = RENAMED.iter().find(|(old, _)| *old == name);
    renamed.map_or(Ok(()), |(old, new)| Err(Failure::new(format!("{old} was renamed: set {new} instead"))))
}
