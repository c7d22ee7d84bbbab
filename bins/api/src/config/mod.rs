//! The command line and the environment: each setting once, under one name. Nobody else reads
//! either.

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
mod sandbox;
mod simulate;
mod smtp;
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
pub(crate) use sandbox::SandboxOptions;
pub(crate) use simulate::{AcquirerOptions, AuthorityOptions, Grant, SimulateCommand};
pub(crate) use variables::refuse_old_variables;

/// Takes card payments and ties each sale to its fiscal document.
#[derive(Debug, Parser)]
#[command(name = "cobro", version, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// What is logged, as in `info` or `warn,worker=debug`
    #[arg(
        long,
        global = true,
        env = "RUST_LOG",
        default_value = "info",
        value_name = "FILTER",
        hide_env_values = true
    )]
    pub(crate) log: String,
    /// How it is written: for people or for machines
    #[arg(long, global = true, env = "COBRO_LOG_FORMAT", default_value = "text", hide_env_values = true)]
    pub(crate) log_format: LogFormat,
    /// A collector of traces, as in http://127.0.0.1:4318; without one none are made
    #[cfg(feature = "otlp")]
    #[arg(long, global = true, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL", hide_env_values = true)]
    pub(crate) otlp_endpoint: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// What the process is to be.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The whole product with simulators around it: no real money, no fiscal value
    Sandbox(SandboxOptions),
    /// Sends each event of a sandbox to an address of this machine, signed, from now on
    Listen(ListenOptions),
    /// Makes an event happen in a sandbox, by real commands
    Trigger(TriggerOptions),
    /// The API and the checkout on PostgreSQL, and a worker unless told otherwise
    Serve(ServeOptions),
    /// A worker on PostgreSQL, beside those that `serve` runs
    Work(WorkOptions),
    /// Looks at everything that a deployment needs, a line each; ends with 1 if anything fails
    Doctor(DoctorOptions),
    /// Brings the schema of the database up to date
    Migrate(DatabaseOptions),
    /// Merchants: make and show them
    #[command(subcommand)]
    Merchant(MerchantCommand),
    /// API keys of a merchant
    #[command(subcommand)]
    Key(KeyCommand),
    /// What merchants hear of
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
    /// Payments, whosever they are
    #[command(subcommand)]
    Payment(PaymentCommand),
    /// What other currencies are worth in pesos
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
    /// The secrets that are kept, and the key that they are under
    #[command(subcommand)]
    Vault(VaultCommand),
    /// Simulators as servers, for the tests of other programs
    #[command(subcommand)]
    Simulate(SimulateCommand),
}
