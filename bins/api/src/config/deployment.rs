use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use ::azul::AzulConnection;
use clap::Args;
use domain::catalog::Catalog;
use ipnet::IpNet;
use notifications::SmtpOptions;

use super::{
    azul::AzulOptions,
    dgii::{DgiiOptions, DgiiSettings},
    file::SettingsFile,
    master_key::MasterKeySource,
    owner::OperatorOptions,
    smtp::SmtpSettings,
    variables::{ALLOWED_HOSTS, CHECKOUT_URL, INTERCHANGE_CA_FILE, LISTEN, PUBLIC_URL, TRUSTED_PROXIES, WORK_LISTEN},
};
use crate::failure::{Context, Done};

/// Default address of `cobro serve`.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

#[derive(Args, Debug)]
pub(crate) struct ServeOptions {
    #[command(flatten)]
    deployment: DeploymentOptions,
    /// Address and port of the server. Default: 127.0.0.1:8080. TLS ends at a proxy before the server
    #[arg(long, env = LISTEN, value_name = "ADDRESS", hide_env_values = true)]
    listen: Option<SocketAddr>,
    /// Public base URL of the API, without /v1. Default: the address of the server
    #[arg(long, env = PUBLIC_URL, value_name = "URL", hide_env_values = true)]
    public_url: Option<String>,
    /// The address of the checkout's pages; the public one unless set
    #[arg(long, env = CHECKOUT_URL, value_name = "URL", hide_env_values = true)]
    checkout_url: Option<String>,
    /// Accepted host names, separated by commas. Default: all
    #[arg(long, env = ALLOWED_HOSTS, value_name = "HOSTS", hide_env_values = true)]
    allowed_hosts: Option<String>,
    /// Network of trusted proxies, such as 10.0.0.0/8; may be repeated. X-Forwarded-For and Forwarded are read only
    /// from these proxies
    #[arg(long, env = TRUSTED_PROXIES, value_name = "CIDR", value_delimiter = ',', hide_env_values = true)]
    trusted_proxy: Vec<IpNet>,
    /// File of the CA certificates (PEM) that issue certificates to taxpayers. Enables the endpoints where other
    /// taxpayers deliver documents
    #[arg(long, env = INTERCHANGE_CA_FILE, value_name = "FILE", hide_env_values = true)]
    interchange_ca_file: Option<PathBuf>,
    /// Only serves: `cobro work` does the work
    #[arg(long)]
    pub(crate) without_worker: bool,
    /// Simulators instead of a card provider and the tax authority, for trials in test mode. They
    /// forget everything when the process ends
    #[arg(long, conflicts_with = "without_worker")]
    pub(crate) with_simulators: bool,
}

#[derive(Args, Debug)]
pub(crate) struct WorkOptions {
    #[command(flatten)]
    deployment: DeploymentOptions,
    /// Public base URL of the API, without /v1, as for `cobro serve`
    #[arg(long, env = PUBLIC_URL, value_name = "URL", hide_env_values = true)]
    public_url: Option<String>,
    /// The address of the checkout's pages, which events show; the public one unless set
    #[arg(long, env = CHECKOUT_URL, value_name = "URL", hide_env_values = true)]
    checkout_url: Option<String>,
    /// Where the worker serves /healthz, /readyz and /metrics; they are not served unless this is set
    #[arg(long, env = WORK_LISTEN, value_name = "ADDRESS", hide_env_values = true)]
    listen: Option<SocketAddr>,
}

#[derive(Args, Debug)]
pub(crate) struct DoctorOptions {
    #[command(flatten)]
    deployment: DeploymentOptions,
    /// Prints one line of JSON in place of the others
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
struct DeploymentOptions {
    #[command(flatten)]
    operator: OperatorOptions,
    #[command(flatten)]
    azul: AzulOptions,
    #[command(flatten)]
    dgii: DgiiOptions,
    #[command(flatten)]
    smtp: SmtpSettings,
}

/// Settings of every process of a deployment.
pub(crate) struct Deployment {
    pub(crate) database_url: String,
    pub(crate) master_key: MasterKeySource,
    /// How AZUL is reached.
    pub(crate) azul: AzulConnection,
    /// How DGII is reached.
    pub(crate) dgii: DgiiSettings,
    /// The mail server, if there is one.
    pub(crate) smtp: Option<SmtpOptions>,
    /// Names of brands, programs and wallets.
    pub(crate) catalog: Catalog,
}

/// Settings of a worker.
pub(crate) struct Working {
    pub(crate) deployment: Deployment,
    pub(crate) checkout_base_url: String,
    /// Address of the health and metrics server.
    pub(crate) listen: Option<SocketAddr>,
}

/// How a process is reached.
#[derive(Debug)]
pub(crate) struct Listening {
    pub(crate) listen: SocketAddr,
    pub(crate) public_url: Option<String>,
    pub(crate) checkout_url: Option<String>,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// CA certificates of the taxpayers that may deliver documents.
    pub(crate) interchange_ca_file: Option<PathBuf>,
}

impl ServeOptions {
    /// The settings, from flags, the environment and the file, in this order.
    pub(crate) fn settle(&self) -> Done<(Deployment, Listening)> {
        let file = self.deployment.operator.database.file()?;
        let hosts = file.text(self.allowed_hosts.as_ref(), ALLOWED_HOSTS).unwrap_or_default();
        let hosts = hosts.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned);
        let listening = Listening {
            listen: file.address(self.listen, LISTEN)?.unwrap_or(DEFAULT_LISTEN),
            public_url: file.text(self.public_url.as_ref(), PUBLIC_URL).map(without_slash),
            checkout_url: file.text(self.checkout_url.as_ref(), CHECKOUT_URL).map(without_slash),
            allowed_hosts: hosts.collect(),
            trusted_proxies: self.trusted_proxies(&file)?,
            interchange_ca_file: file.path(self.interchange_ca_file.as_ref(), INTERCHANGE_CA_FILE).map(Path::to_owned),
        };
        Ok((self.deployment.settle(&file)?, listening))
    }

    fn trusted_proxies(&self, file: &SettingsFile) -> Done<Vec<IpNet>> {
        if !self.trusted_proxy.is_empty() {
            return Ok(self.trusted_proxy.clone());
        }
        let networks = file.get(TRUSTED_PROXIES).unwrap_or_default().split(',').map(str::trim);
        let networks = networks.filter(|it| !it.is_empty()).map(str::parse);
        networks.collect::<Result<_, _>>().or_fail(format!("{TRUSTED_PROXIES} has something that is no network"))
    }
}

impl WorkOptions {
    /// The settings, from flags, the environment and the file, in this order.
    pub(crate) fn settle(&self) -> Done<Working> {
        let file = self.deployment.operator.database.file()?;
        let url = file
            .text(self.checkout_url.as_ref(), CHECKOUT_URL)
            .or_else(|| file.text(self.public_url.as_ref(), PUBLIC_URL));
        let url = url.unwrap_or_else(|| {
            tracing::warn!("neither {CHECKOUT_URL} nor {PUBLIC_URL} is set: events show where `cobro serve` listens");
            format!("http://{DEFAULT_LISTEN}")
        });
        let listen = file.address(self.listen, WORK_LISTEN)?;
        let (deployment, checkout_base_url) = (self.deployment.settle(&file)?, without_slash(url));
        Ok(Working { deployment, checkout_base_url, listen })
    }
}

impl DoctorOptions {
    /// The settings of `cobro serve`, from flags, the environment and the file, in this order.
    pub(crate) fn settle(&self) -> Done<Deployment> {
        self.deployment.settle(&self.deployment.operator.database.file()?)
    }
}

impl DeploymentOptions {
    fn settle(&self, file: &SettingsFile) -> Done<Deployment> {
        Ok(Deployment {
            database_url: self.operator.database.url()?,
            master_key: self.operator.master_key()?,
            azul: self.azul.settle(file)?,
            dgii: self.dgii.settle(file)?,
            smtp: self.smtp.settle(file)?,
            catalog: self.operator.catalog()?,
        })
    }
}

fn without_slash(url: String) -> String {
    url.trim_end_matches('/').to_owned()
}
