use std::{net::SocketAddr, path::PathBuf, str::FromStr};

use clap::{Args, Subcommand};
use domain::fiscal::{DocumentKind, Environment, TaxId};

#[derive(Debug, Subcommand)]
pub(crate) enum SimulateCommand {
    /// A card acquirer that speaks AZUL's protocol
    Acquirer(AcquirerOptions),
    /// A tax authority that speaks DGII's protocol
    Authority(AuthorityOptions),
}

#[derive(Args, Debug)]
pub(crate) struct AuthorityOptions {
    /// Address and port of the server; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:8091", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// File for received documents. Without a file they are lost at the end of the process
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Folder of the official schemas, for validation by xmllint
    #[arg(long, env = "ECF_SCHEMA_DIR", value_name = "FOLDER", hide_env_values = true)]
    pub(crate) schemas: Option<PathBuf>,
    /// Numbers that an issuer may use, as in 130000001:testecf:32:1:100; may be repeated. An issuer without any may use all
    #[arg(long, value_name = "GRANT")]
    pub(crate) grant: Vec<Grant>,
    /// Starts unavailable
    #[arg(long)]
    pub(crate) down: bool,
    /// Delay of each response in milliseconds
    #[arg(long, default_value_t = 0, value_name = "MILLISECONDS")]
    pub(crate) delay: u64,
    /// Number of status queries per document that return "in process"
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    pub(crate) in_process: u32,
    /// Processes submissions, but closes the connection before the response
    #[arg(long)]
    pub(crate) lose_responses: bool,
}

/// Numbers that an issuer may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) issuer: TaxId,
    pub(crate) environment: Environment,
    pub(crate) kind: DocumentKind,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl FromStr for Grant {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = text.split(':').collect();
        let [issuer, environment, kind, first, last] = parts.as_slice() else {
            return Err("an issuer, an environment, a type, the first and the last number are expected");
        };
        let kind = DocumentKind::ALL.iter().find(|it| it.ecf_type().to_string() == *kind);
        Ok(Self {
            issuer: TaxId::parse(issuer).map_err(|_| "the issuer is no RNC and no cédula")?,
            environment: Environment::from_code(environment).ok_or("the environment is testecf, certecf or ecf")?,
            kind: *kind.ok_or("the type is 31, 32, 34 or 45")?,
            first: first.parse().map_err(|_| "the first number is none")?,
            last: last.parse().map_err(|_| "the last number is none")?,
        })
    }
}

#[derive(Args, Debug)]
pub(crate) struct AcquirerOptions {
    /// Address and port of the server; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:8090", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// File for transactions. Without a file they are lost at the end of the process
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// TLS certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// Key of the TLS certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
    /// File of the CA certificates (PEM) that issue client certificates
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) client_ca_file: Option<PathBuf>,
    /// Required serial number of the client certificate, in hexadecimal
    #[arg(long, value_name = "HEX", requires = "client_ca_file")]
    pub(crate) client_serial: Option<String>,
    /// Number of the merchant
    #[arg(long, default_value = "39000000001", value_name = "NUMBER")]
    pub(crate) store: String,
    /// The first half of the merchant's password
    #[arg(long, default_value = "sandbox1", value_name = "TEXT")]
    pub(crate) auth1: String,
    /// The second half of the merchant's password
    #[arg(long, default_value = "sandbox2", value_name = "TEXT")]
    pub(crate) auth2: String,
    /// Spells query results as production was observed to, not as AZUL documents them
    #[arg(long)]
    pub(crate) observed_spelling: bool,
}
