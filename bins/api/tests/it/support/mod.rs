mod certificate;
mod cli;
mod client;
mod cluster;
#[cfg(feature = "otlp")]
mod collector;
mod command;
mod database;
mod deployment;
#[cfg(feature = "otlp")]
mod protobuf;
mod receiver;
mod sandbox;
mod server;
mod tls_files;
mod verify;

pub(crate) use certificate::make_certificate;
pub(crate) use cli::Cli;
pub(crate) use client::{ApiResponse, Client, Created, sale};
pub(crate) use cluster::{Postgres, Proxy, free_port};
#[cfg(feature = "otlp")]
pub(crate) use collector::{Collector, Delivery};
pub(crate) use command::{Output, cobro};
pub(crate) use database::Database;
pub(crate) use deployment::{address, deployment, set_up};
#[cfg(feature = "otlp")]
pub(crate) use protobuf::{Field, fields, text, within};
pub(crate) use receiver::{Behavior, Receiver};
pub(crate) use sandbox::Sandbox;
pub(crate) use server::{POLL_TIMEOUT, Server};
pub(crate) use tls_files::TlsFiles;
pub(crate) use verify::is_verified_by_xmlsec1;

use std::time::Duration;

/// Card that the issuer approves.
pub(crate) const APPROVED_CARD: &str = "4222220000000008";
/// Card that the issuer declines.
pub(crate) const DECLINED_CARD: &str = "4222220000000511";

/// Interval between two polls.
pub(crate) async fn pause() {
    // Below the rate limit of a key.
    tokio::time::sleep(Duration::from_millis(60)).await;
}
