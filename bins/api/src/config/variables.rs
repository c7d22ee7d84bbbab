//! Names of the environment variables that are settings as well.

use std::env;

use crate::failure::{Done, Failure};

/// Declares the names that a settings file may contain.
macro_rules! settings {
    ($($name:ident = $variable:literal;)+) => {
        $(pub(super) const $name: &str = $variable;)+

        /// Names that a settings file may contain.
        pub(super) const SETTINGS: &[&str] = &[$($name),+];
    };
}

settings! {
    DATABASE_URL = "COBRO_DATABASE_URL";
    MASTER_KEY_FILE = "COBRO_MASTER_KEY_FILE";
    LISTEN = "COBRO_LISTEN";
    WORK_LISTEN = "COBRO_WORK_LISTEN";
    PUBLIC_URL = "COBRO_PUBLIC_URL";
    CHECKOUT_URL = "COBRO_CHECKOUT_URL";
    ALLOWED_HOSTS = "COBRO_ALLOWED_HOSTS";
    TRUSTED_PROXIES = "COBRO_TRUSTED_PROXIES";
    INTERCHANGE_CA_FILE = "COBRO_INTERCHANGE_CA_FILE";
    AZUL_TEST_URLS = "COBRO_AZUL_TEST_URLS";
    AZUL_LIVE_URLS = "COBRO_AZUL_LIVE_URLS";
    AZUL_CA_FILE = "COBRO_AZUL_CA_FILE";
    DGII_URLS = "COBRO_DGII_URLS";
    DGII_CA_FILE = "COBRO_DGII_CA_FILE";
    CATALOG = "COBRO_CATALOG";
    SMTP_URL = "COBRO_SMTP_URL";
    SMTP_FROM = "COBRO_SMTP_FROM";
    SMTP_USER = "COBRO_SMTP_USER";
    SMTP_PASSWORD_FILE = "COBRO_SMTP_PASSWORD_FILE";
    SMTP_CA_FILE = "COBRO_SMTP_CA_FILE";
}

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
