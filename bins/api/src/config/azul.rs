use std::path::PathBuf;

use azul::{AzulConnection, Hosts};
use clap::Args;

use super::{
    file::SettingsFile,
    variables::{AZUL_CA_FILE, AZUL_LIVE_URLS, AZUL_TEST_URLS},
};
use crate::failure::{Done, Failure};

#[derive(Args, Debug)]
pub(super) struct AzulOptions {
    /// AZUL hosts for accounts in test mode: one URL, or two with a comma. Default: AZUL's test host
    #[arg(long, env = AZUL_TEST_URLS, value_name = "URLS", hide_env_values = true)]
    azul_test_urls: Option<String>,
    /// AZUL hosts for accounts in live mode: one URL, or two with a comma. Default: AZUL's production hosts
    #[arg(long, env = AZUL_LIVE_URLS, value_name = "URLS", hide_env_values = true)]
    azul_live_urls: Option<String>,
    /// File of the CA certificates (PEM) to trust for AZUL. Default: the system's CA certificates
    #[arg(long, env = AZUL_CA_FILE, value_name = "FILE", hide_env_values = true)]
    azul_ca_file: Option<PathBuf>,
}

impl AzulOptions {
    pub(super) fn settle(&self, file: &SettingsFile) -> Done<AzulConnection> {
        let real = AzulConnection::real();
        let settled = |option: &Option<String>, name, real| match file.text(option.as_ref(), name) {
            Some(text) => hosts(&text).ok_or_else(|| Failure::new(format!("{name} is one https address, or two"))),
            None => Ok(real),
        };
        Ok(AzulConnection {
            test: settled(&self.azul_test_urls, AZUL_TEST_URLS, real.test.clone())?,
            live: settled(&self.azul_live_urls, AZUL_LIVE_URLS, real.live.clone())?,
            ca_certificates: file.ca_certificates(self.azul_ca_file.as_ref(), AZUL_CA_FILE)?,
            ..real
        })
    }
}

/// Parses one or two https URLs. Client certificates need TLS.
fn hosts(text: &str) -> Option<Hosts> {
    let mut urls = text.split(',').map(str::trim);
    let hosts = Hosts { primary: urls.next()?.to_owned(), secondary: urls.next().map(str::to_owned) };
    let is_safe = |it: &str| it.strip_prefix("https://").is_some_and(|rest| !rest.is_empty() && !rest.contains('?'));
    let are_safe = is_safe(&hosts.primary) && hosts.secondary.as_deref().is_none_or(is_safe);
    (are_safe && urls.next().is_none()).then_some(hosts)
}
