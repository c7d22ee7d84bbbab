use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum SimulateCommand {
    /// A card acquirer that speaks AZUL's protocol
    Acquirer(AcquirerOptions),
}

#[derive(Args, Debug)]
pub(crate) struct AcquirerOptions {
    /// Where it listens; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:8090", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// The file in which it keeps its transactions; without it, it forgets them when it ends
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Its certificate, as PEM, for TLS
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// The key of its certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Whose certificates clients may show, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) client_authority: Option<PathBuf>,
    /// The serial number of the certificate that the merchant has to show, in hexadecimal
    #[arg(long, value_name = "HEX", requires = "client_authority")]
    pub(crate) client_serial: Option<String>,
    /// The number of the merchant
    #[arg(long, default_value = "39000000001", value_name = "NUMBER")]
    pub(crate) store: String,
    /// The first half of the merchant's password
    #[arg(long, default_value = "sandbox1", value_name = "TEXT")]
    pub(crate) auth1: String,
    /// The second half of the merchant's password
    #[arg(long, default_value = "sandbox2", value_name = "TEXT")]
    pub(crate) auth2: String,
    /// Spells what is found as AZUL was seen to do it, and not as it documents it
    #[arg(long)]
    pub(crate) found_as_met: bool,
}
