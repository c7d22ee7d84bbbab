use std::{net::SocketAddr, num::NonZeroU32, path::PathBuf};

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct SandboxOptions {
    /// Where it listens; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// Where it keeps everything; made on the first start
    #[arg(long, default_value = ".cobro", value_name = "FOLDER")]
    pub(crate) data_dir: PathBuf,
    /// A PostgreSQL to keep sales in, instead of a file in the data folder
    #[arg(long, value_name = "URL")]
    pub(crate) database_url: Option<String>,
    /// Requests a second that a key may make, with production's other limits; without it, 1000 and no others
    #[arg(long, value_name = "N")]
    pub(crate) rate_limit: Option<NonZeroU32>,
    /// Takes addresses of this very machine for webhooks, too, and sends to them over plain HTTP
    #[arg(long)]
    pub(crate) allow_private_webhooks: bool,
}
