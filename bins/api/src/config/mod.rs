//! The command line, the environment and settings files. No other module reads them.

mod azul;
mod catalog;
mod database;
mod deployment;
mod developer;
mod dgii;
mod documents;
mod file;
mod master_key;
mod operator;
mod owner;
mod rate;
mod refund;
mod sandbox;
mod simulate;
mod smtp;
mod values;
mod variables;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use database::DatabaseOptions;
pub(crate) use deployment::{Deployment, DoctorOptions, Listening, ServeOptions, WorkOptions, Working};
pub(crate) use developer::{ListenOptions, SandboxPlace, TriggerOptions};
pub(crate) use dgii::DgiiSettings;
pub(crate) use documents::{
    AnnulOptions, DocumentCommand, DocumentOptions, PaymentCommand, SequenceCommand, SequenceOptions, SkipOptions,
};
pub(crate) use master_key::MasterKeySource;
pub(crate) use operator::{
    AccountCommand, CertificateCommand, CertificateFile, CredentialFiles, DirectoryCommand, DirectoryOptions,
    EcfCommand, EventsCommand, KeyCommand, MerchantCommand, MerchantOptions, VaultCommand,
};
pub(crate) use owner::{ListOptions, OperatorOptions, OwnerOptions, TenantOptions};
pub(crate) use rate::{RateCommand, RateOptions};
pub(crate) use refund::{RefundCommand, SettleOptions, SettledAs};
pub(crate) use sandbox::SandboxOptions;
pub(crate) use simulate::{AcquirerOptions, AuthorityOptions, Grant, SimulateCommand};
pub(crate) use variables::refuse_old_variables;

/// Payment gateway with fiscal documents (e-CF) for the Dominican Republic.
#[derive(Debug, Parser)]
#[command(name = "cobro", version, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// Log filter, such as `info` or `warn,worker=debug`
    #[arg(
        long,
        global = true,
        env = "RUST_LOG",
        default_value = "info",
        value_name = "FILTER",
        hide_env_values = true
    )]
    pub(crate) log: String,
    /// Format of log lines
    #[arg(long, global = true, env = "COBRO_LOG_FORMAT", default_value = "text", hide_env_values = true)]
    pub(crate) log_format: LogFormat,
    /// OTLP collector, such as http://127.0.0.1:4318. Without a collector there are no traces
    #[cfg(feature = "otlp")]
    #[arg(long, global = true, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL", hide_env_values = true)]
    pub(crate) otlp_endpoint: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// Subcommand of the binary.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs the product with simulators: no real money, no fiscal value
    Sandbox(SandboxOptions),
    /// Forwards the signed events of a sandbox to a URL on this machine
    Listen(ListenOptions),
    /// Causes an event in a sandbox by real commands
    Trigger(TriggerOptions),
    /// Runs the API, the checkout and a worker on PostgreSQL
    Serve(ServeOptions),
    /// Runs a further worker on PostgreSQL
    Work(WorkOptions),
    /// Checks everything that a deployment needs, one line each; exits with 1 if a check fails
    Doctor(DoctorOptions),
    /// Updates the schema of the database
    Migrate(DatabaseOptions),
    /// Creates, lists and prints merchants
    #[command(subcommand)]
    Merchant(MerchantCommand),
    /// API keys of a merchant
    #[command(subcommand)]
    Key(KeyCommand),
    /// Webhook events
    #[command(subcommand)]
    Events(EventsCommand),
    /// Accounts of a merchant at card providers
    #[command(subcommand)]
    Account(AccountCommand),
    /// Ranges of fiscal numbers
    #[command(subcommand)]
    Sequence(SequenceCommand),
    /// Fiscal documents of a merchant
    #[command(subcommand)]
    Document(DocumentCommand),
    /// Payments of all merchants
    #[command(subcommand)]
    Payment(PaymentCommand),
    /// Refunds of all merchants
    #[command(subcommand)]
    Refund(RefundCommand),
    /// Exchange rates
    #[command(subcommand)]
    Rate(RateCommand),
    /// Certificates that sign fiscal documents
    #[command(subcommand)]
    Certificate(CertificateCommand),
    /// The register of taxpayers
    #[command(subcommand)]
    Directory(DirectoryCommand),
    /// Signed fiscal documents
    #[command(subcommand)]
    Ecf(EcfCommand),
    /// Stored secrets and the master key
    #[command(subcommand)]
    Vault(VaultCommand),
    /// Runs a simulator as a server, for tests of other programs
    #[command(subcommand)]
    Simulate(SimulateCommand),
}
