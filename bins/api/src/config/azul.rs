use std::path::{Path, PathBuf};

use azul::{AzulConnection, Hosts};
use clap::Args;

use super::file::SettingsFile;
use crate::{
    failure::{Done, Failure},
    text_file,
};

pub(super) const TEST_URLS: &str = "COBRO_AZUL_TEST_URLS";
pub(super) const LIVE_URLS: &str = "COBRO_AZUL_LIVE_URLS";
pub(super) const AUTHORITIES: &str = "COBRO_AZUL_AUTHORITIES";

#[derive(Args, Debug)]
pub(super) struct AzulOptions {
    /// Where AZUL is for accounts of test mode, its second host after a comma; its own test host unless set
    #[arg(long, env = TEST_URLS, value_name = "URLS", hide_env_values = true)]
    azul_test_urls: Option<String>,
    /// Where AZUL is for accounts of live mode, its second host after a comma; its own hosts unless set
    #[arg(long, env = LIVE_URLS, value_name = "URLS", hide_env_values = true)]
    azul_live_urls: Option<String>,
    /// A file of the certificates, as PEM, that may vouch for AZUL; those that the system trusts unless set
    #[arg(long, env = AUTHORITIES, value_name = "FILE", hide_env_values = true)]
    azul_authorities: Option<PathBuf>,
}

impl AzulOptions {
    pub(super) fn settle(&self, file: &SettingsFile) -> Done<AzulConnection> {
        let real = AzulConnection::real();
        let settled = |given: &Option<String>, name, real| match given.as_deref().or(file.get(name)) {
            Some(text) => hosts(text).ok_or_else(|| Failure::new(format!("{name} is one https address, or two"))),
            None => Ok(real),
        };
        let authorities = self.azul_authorities.as_deref().or(file.get(AUTHORITIES).map(Path::new));
        let read = |path: &Path| text_file::read(path).map(|pem| pem.to_vec());
        Ok(AzulConnection {
            test: settled(&self.azul_test_urls, TEST_URLS, real.test.clone())?,
            live: settled(&self.azul_live_urls, LIVE_URLS, real.live.clone())?,
            authorities: authorities.map(read).transpose()?,
            ..real
        })
    }
}

/// One host, or two. Without TLS nobody could show a certificate.
fn hosts(text: &str) -> Option<Hosts> {
    let mut urls = text.split(',').map(str::trim);
    let hosts = Hosts { primary: urls.next()?.to_owned(), secondary: urls.next().map(str::to_owned) };
    let is_safe = |it: &str| it.strip_prefix("https://").is_some_and(|rest| !rest.is_empty() && !rest.contains('?'));
    let are_safe = is_safe(&hosts.primary) && hosts.secondary.as_deref().is_none_or(is_safe);
    (are_safe && urls.next().is_none()).then_some(hosts)
}
