use std::{net::SocketAddr, num::NonZeroU32, path::PathBuf};

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct SandboxOptions {
    /// Address and port of the server; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// Data folder, created by the first start
    #[arg(long, default_value = ".cobro", value_name = "FOLDER")]
    pub(crate) data_dir: PathBuf,
    /// PostgreSQL database, instead of a file in the data folder
    #[arg(long, value_name = "URL")]
    pub(crate) database_url: Option<String>,
    /// Requests per second and key, together with the other limits of production. Default: 1000, without other limits
    #[arg(long, value_name = "N")]
    pub(crate) rate_limit: Option<NonZeroU32>,
    /// Allows webhook URLs on this machine and over plain HTTP
    #[arg(long)]
    pub(crate) allow_private_webhooks: bool,
}
