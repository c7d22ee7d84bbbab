use std::{env, path::PathBuf};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use clap::{Args, Subcommand};
use domain::{
    EventId, MerchantAccountId, MerchantId, Mode,
    account::Provider,
    credential::Role,
    fiscal::TaxId,
    text::{BoundedText, Email},
};
use zeroize::Zeroizing;

use super::{
    database::DatabaseOptions,
    owner::{ListOptions, OperatorOptions, OwnerOptions, TenantOptions},
    values::{account, day, email, event, line, merchant, mode, moment, provider, rnc, role, span},
};

#[derive(Debug, Subcommand)]
pub(crate) enum MerchantCommand {
    /// Creates a merchant and prints one line of JSON with the identifier, `merchantId`
    Create(Box<MerchantOptions>),
    /// Prints one line of JSON for each merchant
    List(DatabaseOptions),
    /// Prints the set-up of a merchant, one line of JSON for each mode
    Show {
        #[command(flatten)]
        operator: OperatorOptions,
        /// Merchant identifier
        #[arg(value_name = "ID", value_parser = merchant, required_unless_present = "named_merchant")]
        merchant: Option<MerchantId>,
        /// Merchant identifier, as an option
        #[arg(id = "named_merchant", long = "merchant", value_parser = merchant, hide = true, conflicts_with = "merchant")]
        named: Option<MerchantId>,
        /// test or live. Default: both
        #[arg(long, value_parser = mode)]
        mode: Option<Mode>,
    },
}

#[derive(Args, Debug)]
pub(crate) struct MerchantOptions {
    #[command(flatten)]
    pub(crate) operator: OperatorOptions,
    /// Registered name
    #[arg(long, value_parser = line::<256>)]
    pub(crate) legal_name: BoundedText<1, 256>,
    /// Taxpayer number (RNC) of the issuer
    #[arg(long, value_parser = rnc)]
    pub(crate) rnc: TaxId,
    /// Trade name
    #[arg(long, value_parser = line::<128>)]
    pub(crate) display_name: Option<BoundedText<1, 128>>,
    /// Phone number for customers
    #[arg(long, value_parser = line::<32>)]
    pub(crate) support_phone: Option<BoundedText<1, 32>>,
    /// E-mail address for customers
    #[arg(long, value_parser = email)]
    pub(crate) support_email: Option<Email>,
    /// Street and number, for fiscal documents
    #[arg(long, value_parser = line::<160>, requires = "city")]
    pub(crate) address: Option<BoundedText<1, 160>>,
    /// The city of the address
    #[arg(long, value_parser = line::<80>, requires = "address")]
    pub(crate) city: Option<BoundedText<1, 80>>,
    /// Text on card statements
    #[arg(long, value_parser = line::<22>)]
    pub(crate) statement_descriptor: Option<BoundedText<1, 22>>,
    /// The legal service charge of 10 % applies
    #[arg(long)]
    pub(crate) propina: bool,
    /// Bills may be split
    #[arg(long)]
    pub(crate) split: bool,
    /// The merchant may sell in live mode
    #[arg(long)]
    pub(crate) live_enabled: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// Sends events to an endpoint again, under their original identifiers
    Replay {
        #[command(flatten)]
        tenant: TenantOptions,
        /// The endpoint
        #[arg(long, value_name = "ID")]
        endpoint: String,
        /// One event
        #[arg(long, value_name = "ID", value_parser = event, conflicts_with = "since")]
        event: Option<EventId>,
        /// Start of the period, such as 2026-03-01T12:00:00Z; only events that the endpoint selects
        #[arg(long, value_name = "TIME", value_parser = moment, required_unless_present = "event")]
        since: Option<DateTime<Utc>>,
        /// End of the period, exclusive. Default: now
        #[arg(long, value_name = "TIME", value_parser = moment, requires = "since")]
        until: Option<DateTime<Utc>>,
        /// Only events whose delivery failed
        #[arg(long, requires = "since")]
        only_failed: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Creates a key and prints one line of JSON with the key, which is not shown again
    Create {
        #[command(flatten)]
        tenant: TenantOptions,
        /// standard for sales; admin for sales and the set-up of the merchant
        #[arg(long, default_value = "standard", value_parser = role)]
        role: Role,
        /// Account that the key may use; may be repeated. Default: all accounts
        #[arg(long = "account", value_name = "ID", value_parser = account)]
        accounts: Vec<MerchantAccountId>,
        /// Lets a standard key refund. An admin key always may
        #[arg(long)]
        may_refund: bool,
    },
    /// Prints the keys of a merchant, each by the first characters
    List(TenantOptions),
    /// Revokes a key within a second
    Revoke {
        #[command(flatten)]
        tenant: TenantOptions,
        #[command(flatten)]
        key: KeyHint,
    },
    /// Replaces a key by a new one with the same rights
    Rotate {
        #[command(flatten)]
        tenant: TenantOptions,
        #[command(flatten)]
        key: KeyHint,
        /// How long the old key stays valid, such as 90m, 24h or 7d; at most seven days
        #[arg(long, default_value = "24h", value_parser = span)]
        overlap: TimeDelta,
    },
}

#[derive(Args, Debug)]
pub(crate) struct KeyHint {
    /// Beginning of the key to revoke, as `list` prints it
    #[arg(value_name = "HINT", required_unless_present = "named_key")]
    key: Option<String>,
    /// Beginning of the key, as an option
    #[arg(id = "named_key", long = "key", hide = true, conflicts_with = "key")]
    named: Option<String>,
}

impl KeyHint {
    pub(crate) fn as_str(&self) -> &str {
        self.key.as_deref().or(self.named.as_deref()).unwrap_or_default()
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum AccountCommand {
    /// Prints one line of JSON for each account of a merchant
    List(ListOptions),
    /// Creates an account at a provider and prints one line of JSON with the identifier
    Create {
        #[command(flatten)]
        tenant: TenantOptions,
        /// simulator or azul
        #[arg(long, value_parser = provider)]
        provider: Provider,
    },
    /// Replaces the credentials of an account, which are stored encrypted
    Credentials {
        #[command(flatten)]
        operator: OperatorOptions,
        #[command(flatten)]
        of: OwnerOptions,
        /// The account
        #[arg(value_name = "ID", value_parser = account, required_unless_present = "named_account")]
        account: Option<MerchantAccountId>,
        /// Account identifier, as an option
        #[arg(id = "named_account", long = "account", value_parser = account, hide = true, conflicts_with = "account")]
        named: Option<MerchantAccountId>,
        #[command(flatten)]
        files: CredentialFiles,
    },
}

/// Files of the credentials. Flags would be visible to other users of the machine.
#[derive(Args, Debug)]
pub(crate) struct CredentialFiles {
    /// JSON object from the provider; - reads stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The client certificate with its chain, as PEM, if the object has none
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// The key of the certificate, as PEM, if the object has none
    #[arg(long, value_name = "FILE")]
    pub(crate) private_key: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum VaultCommand {
    /// Encrypts every secret under the first key of the key file. May be interrupted at any time and
    /// repeated
    Rotate {
        #[command(flatten)]
        operator: OperatorOptions,
        /// Inserts a new key at the start of the key file first
        #[arg(long)]
        new_key: bool,
        /// Makes the first key of the key file the key of the database after the original key was lost.
        /// Secrets under the lost key stay lost
        #[arg(long, conflicts_with = "new_key")]
        lost_key: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum DirectoryCommand {
    /// Imports the register that DGII publishes. The earlier copy is used until the import ends
    Import(DirectoryOptions),
}

#[derive(Args, Debug)]
pub(crate) struct DirectoryOptions {
    #[command(flatten)]
    pub(crate) database: DatabaseOptions,
    /// DGII's register file: DGII_RNC.zip, the text file in the archive, or the CSV file, compressed or not
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Date of the register, if the file has none; a copy expires after fourteen days
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub(crate) as_of: Option<NaiveDate>,
    /// Minimum number of taxpayers; a smaller file is refused as incomplete
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    pub(crate) at_least: u64,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EcfCommand {
    /// Verifies a signed document of any issuer, and prints one line of JSON or the first fault
    Verify {
        /// The document, as XML
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Folder with DGII's own schemas, which need xmllint; unless set, the project's schemas are used
        #[arg(long, env = "ECF_SCHEMA_DIR", value_name = "FOLDER", hide_env_values = true)]
        schemas: Option<PathBuf>,
        /// CA certificates (PEM), one of which must have issued the certificate of the signer. Default: any issuer
        #[arg(long, value_name = "FILE")]
        trust: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum CertificateCommand {
    /// Stores a certificate for signing, with an encrypted private key
    Import {
        #[command(flatten)]
        tenant: TenantOptions,
        #[command(flatten)]
        file: CertificateFile,
    },
    /// Prints one line of JSON for each certificate, newest first, without the key
    List(ListOptions),
}

#[derive(Args, Debug)]
pub(crate) struct CertificateFile {
    /// The PKCS#12 file
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// File of the password. COBRO_CERTIFICATE_PASSWORD may contain the password instead
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
}

impl CertificateFile {
    /// The password in the environment. Never a flag: those are for everyone to see.
    pub(crate) fn password_in_environment() -> Option<Zeroizing<String>> {
        env::var("COBRO_CERTIFICATE_PASSWORD").ok().map(Zeroizing::new)
    }
}
