use std::{env, path::PathBuf};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use clap::{Args, Subcommand};
use domain::{
    EventId, MerchantAccountId, MerchantId, Mode,
    account::Provider,
    credential::Role,
    fiscal::TaxId,
    text::{Email, Line},
};
use zeroize::Zeroizing;

use super::{
    database::DatabaseOptions,
    owner::{ListOptions, OperatorOptions, OwnerOptions, TenantOptions, merchant, mode},
};

#[derive(Debug, Subcommand)]
pub(crate) enum MerchantCommand {
    /// Makes a merchant and prints a line of JSON with its identifier, `merchantId`
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
        /// test or live; both unless set
        #[arg(long, value_parser = mode)]
        mode: Option<Mode>,
    },
}

#[derive(Args, Debug)]
pub(crate) struct MerchantOptions {
    #[command(flatten)]
    pub(crate) operator: OperatorOptions,
    /// The registered name
    #[arg(long, value_parser = line::<256>)]
    pub(crate) legal_name: Line<1, 256>,
    /// The taxpayer number that documents are issued under
    #[arg(long, value_parser = rnc)]
    pub(crate) rnc: TaxId,
    /// The name that customers know
    #[arg(long, value_parser = line::<128>)]
    pub(crate) display_name: Option<Line<1, 128>>,
    /// Where customers call
    #[arg(long, value_parser = line::<32>)]
    pub(crate) support_phone: Option<Line<1, 32>>,
    /// Where customers write
    #[arg(long, value_parser = email)]
    pub(crate) support_email: Option<Email>,
    /// Street and number; fiscal documents print it
    #[arg(long, value_parser = line::<160>, requires = "city")]
    pub(crate) address: Option<Line<1, 160>>,
    /// The city of the address
    #[arg(long, value_parser = line::<80>, requires = "address")]
    pub(crate) city: Option<Line<1, 80>>,
    /// What card statements say
    #[arg(long, value_parser = line::<22>)]
    pub(crate) statement_descriptor: Option<Line<1, 22>>,
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
    /// Sends events to a merchant's endpoint again, each under its own name
    Replay {
        #[command(flatten)]
        tenant: TenantOptions,
        /// The endpoint
        #[arg(long, value_name = "ID")]
        endpoint: String,
        /// One event
        #[arg(long, value_name = "ID", value_parser = event, conflicts_with = "since")]
        event: Option<EventId>,
        /// What the endpoint selects of what was told from this moment on, as in 2026-03-01T12:00:00Z
        #[arg(long, value_name = "TIME", value_parser = moment, required_unless_present = "event")]
        since: Option<DateTime<Utc>>,
        /// Before this moment; up to now unless it is said
        #[arg(long, value_name = "TIME", value_parser = moment, requires = "since")]
        until: Option<DateTime<Utc>>,
        /// Only what was given up
        #[arg(long, requires = "since")]
        only_failed: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Makes a key and prints a line of JSON with it, this one time
    Create {
        #[command(flatten)]
        tenant: TenantOptions,
        /// standard for sales; admin for those and the merchant's own set-up
        #[arg(long, default_value = "standard", value_parser = role)]
        role: Role,
        /// The only account that it is for; may be given again. All of them unless set
        #[arg(long = "account", value_name = "ID", value_parser = account)]
        accounts: Vec<MerchantAccountId>,
    },
    /// Prints the keys of a merchant, each by what it begins with
    List(TenantOptions),
    /// Ends a key at once
    Revoke {
        #[command(flatten)]
        tenant: TenantOptions,
        #[command(flatten)]
        key: KeyHint,
    },
    /// Makes a key that may do what another may, which then ends
    Rotate {
        #[command(flatten)]
        tenant: TenantOptions,
        #[command(flatten)]
        key: KeyHint,
        /// How long that goes on beside the new one, as in 90m, 24h or 7d; at most seven days
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
    /// Makes an account that charges what its provider does and prints a line of JSON with its identifier
    Create {
        #[command(flatten)]
        tenant: TenantOptions,
        /// simulator or azul
        #[arg(long, value_parser = provider)]
        provider: Provider,
    },
    /// Replaces the credentials of an account, which are kept sealed
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

/// Where credentials are read from. Never a flag: those are for everyone to see.
#[derive(Args, Debug)]
pub(crate) struct CredentialFiles {
    /// One JSON object as its provider issued it; - reads it from stdin
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
    /// Seals every secret anew that is not under the first key of the key file. It may be ended at any
    /// time, and done again
    Rotate {
        #[command(flatten)]
        operator: OperatorOptions,
        /// Puts a new key in front of those in the key file first
        #[arg(long)]
        new_key: bool,
        /// Takes the first key of the key file for that of the database, after the one that it was set up with was lost.
        /// What is sealed under that stays lost
        #[arg(long, conflicts_with = "new_key")]
        lost_key: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum DirectoryCommand {
    /// Imports the register that DGII publishes; until it is whole the one before it answers
    Import(DirectoryOptions),
}

#[derive(Args, Debug)]
pub(crate) struct DirectoryOptions {
    #[command(flatten)]
    pub(crate) database: DatabaseOptions,
    /// DGII's register file: DGII_RNC.zip, the text file in the archive, or the CSV file, compressed or not
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Date of the register, unless the file contains it; after fourteen days the copy is not used
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub(crate) as_of: Option<NaiveDate>,
    /// With fewer taxpayers it is taken for a part of the register
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
        /// Certificates in PEM, by one of which the signer's must be issued; without it its issuer does not count
        #[arg(long, value_name = "FILE")]
        trust: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum CertificateCommand {
    /// Keeps a certificate for signing, its private key sealed
    Import {
        #[command(flatten)]
        tenant: TenantOptions,
        #[command(flatten)]
        file: CertificateFile,
    },
    /// Prints a line of JSON of each certificate, the newest first, and nothing of its key
    List(ListOptions),
}

#[derive(Args, Debug)]
pub(crate) struct CertificateFile {
    /// The PKCS#12 file
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The file that holds its password; COBRO_CERTIFICATE_PASSWORD may hold it instead
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
}

impl CertificateFile {
    /// The password in the environment. Never a flag: those are for everyone to see.
    pub(crate) fn password_in_environment() -> Option<Zeroizing<String>> {
        env::var("COBRO_CERTIFICATE_PASSWORD").ok().map(Zeroizing::new)
    }
}

fn event(text: &str) -> Result<EventId, &'static str> {
    EventId::parse(text).ok_or("event_ and its symbols are expected")
}

fn account(text: &str) -> Result<MerchantAccountId, &'static str> {
    MerchantAccountId::parse(text).ok_or("merchant_account_ and its symbols are expected")
}

fn span(text: &str) -> Result<TimeDelta, &'static str> {
    let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 86400)];
    let seconds = units.into_iter().find_map(|(unit, seconds)| {
        let many: u32 = text.strip_suffix(unit)?.parse().ok()?;
        i64::from(many).checked_mul(seconds)
    });
    let span = seconds.and_then(TimeDelta::try_seconds);
    span.ok_or("a number and s, m, h or d are expected, as in 24h")
}

fn role(text: &str) -> Result<Role, &'static str> {
    Role::from_code(text).ok_or("standard or admin is expected")
}

fn provider(text: &str) -> Result<Provider, &'static str> {
    Provider::from_code(text).ok_or("simulator or azul is expected")
}

fn rnc(text: &str) -> Result<TaxId, &'static str> {
    let digits = text.bytes().filter(|it| !matches!(it, b' ' | b'-'));
    let is_number = digits.clone().all(|it| it.is_ascii_digit());
    match (TaxId::parse(text), is_number, digits.count()) {
        (Ok(tax_id), ..) if tax_id.is_rnc() => Ok(tax_id),
        (_, true, 9) => Err("the last digit of an RNC checks the others, and this one does not: one is mistyped"),
        (_, true, 11) => Err("a cédula is no RNC: documents are issued under the nine digits of an RNC alone"),
        _ => Err("the nine digits of an RNC are expected"),
    }
}

pub(super) fn day(text: &str) -> Result<NaiveDate, &'static str> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| "a day is expected, as in 2026-11-27")
}

fn moment(text: &str) -> Result<DateTime<Utc>, &'static str> {
    text.parse().map_err(|_| "a moment is expected, as in 2026-11-27T12:00:00Z")
}

pub(super) fn line<const MAX: usize>(text: &str) -> Result<Line<1, MAX>, String> {
    Line::parse(text).ok_or_else(|| format!("one line of 1 to {MAX} characters is expected"))
}

fn email(text: &str) -> Result<Email, &'static str> {
    Email::recipient(text).ok_or("an e-mail address is expected")
}
