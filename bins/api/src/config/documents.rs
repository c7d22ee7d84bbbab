use chrono::NaiveDate;
use clap::{Args, Subcommand, value_parser};
use domain::{
    AnnulmentId, FiscalDocumentId, PaymentId,
    fiscal::{DocumentKind, Environment},
    payment::PaymentStatus,
};

use super::{
    database::DatabaseOptions,
    dgii::DgiiOptions,
    owner::{ListOptions, OperatorOptions, OwnerOptions, TenantOptions},
    values::{annulment, day, document, environment, kind, payment, status},
};

#[derive(Debug, Subcommand)]
pub(crate) enum DocumentCommand {
    /// Prints the status of a document, the messages of the authority and the earlier numbers
    Show(DocumentOptions),
    /// Issues a refused document again, unchanged, under another number, if no merchant can correct the fault. Check first
    /// that the authority does not have the document
    Reissue(DocumentOptions),
}

#[derive(Args, Debug)]
pub(crate) struct DocumentOptions {
    #[command(flatten)]
    pub(crate) operator: OperatorOptions,
    #[command(flatten)]
    pub(crate) of: OwnerOptions,
    /// The document
    #[arg(value_name = "ID", value_parser = document, required_unless_present = "named_document")]
    document: Option<FiscalDocumentId>,
    /// Document identifier, as an option
    #[arg(id = "named_document", long = "document", value_parser = document, hide = true, conflicts_with = "document")]
    named: Option<FiscalDocumentId>,
}

impl DocumentOptions {
    pub(crate) fn document(&self) -> Option<&FiscalDocumentId> {
        self.document.as_ref().or(self.named.as_ref())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PaymentCommand {
    /// Prints the attempts of a payment with our identifiers and those of the acquirer, their outcomes, and the status of
    /// the document
    Show {
        #[command(flatten)]
        database: DatabaseOptions,
        /// The payment
        #[arg(value_name = "ID", value_parser = payment)]
        payment: PaymentId,
        /// In one line of JSON
        #[arg(long)]
        json: bool,
    },
    /// Finds payments by any identifier that a payer, a bank or a document shows: an identifier, the merchant's
    /// reference, invoice or order number, an e-NCF, the provider's number. Prints one line of JSON for each payment
    Find {
        #[command(flatten)]
        database: DatabaseOptions,
        #[command(flatten)]
        of: OwnerOptions,
        /// The identifier
        #[arg(value_name = "TEXT")]
        text: String,
    },
    /// Prints one line of JSON for each payment of a merchant, newest first
    List {
        #[command(flatten)]
        list: ListOptions,
        /// Lists only payments with this status, such as verifying
        #[arg(long, value_parser = status)]
        status: Option<PaymentStatus>,
        /// Maximum number of payments for each mode
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SequenceCommand {
    /// Adds a range of numbers that the authority granted
    Add(SequenceOptions),
    /// Prints one line of JSON for each range, with the remaining numbers and the status
    List(ListOptions),
    /// Prints one line of JSON for each range, with the number of assigned, annulled and skipped numbers
    Report {
        #[command(flatten)]
        tenant: TenantOptions,
        /// consumer, fiscal_credit, government or credit_note. Default: all
        #[arg(long, value_parser = kind)]
        kind: Option<DocumentKind>,
        /// First prints one line for each assigned number, and for each stretch of annulled or skipped numbers
        #[arg(long)]
        numbers: bool,
    },
    /// Annuls numbers at the authority that were never assigned to a document, or that a refusal did not spend
    Annul(Box<AnnulOptions>),
    /// Skips numbers of a range that the authority counts as used, for example after a restore, and prints the
    /// documents that have one of them
    Skip(SkipOptions),
}

#[derive(Args, Debug)]
pub(crate) struct SkipOptions {
    #[command(flatten)]
    pub(crate) tenant: TenantOptions,
    /// Kind of document: consumer, fiscal_credit, government or credit_note
    #[arg(long, value_parser = kind)]
    pub(crate) kind: DocumentKind,
    /// Last number of the issuer that the authority has, without letter and type. The next document gets the number
    /// after this one
    #[arg(long, value_name = "N")]
    pub(crate) to: u64,
    /// DGII environment: testecf, certecf or ecf; unless set, the environment of the mode
    #[arg(long, value_parser = environment)]
    pub(crate) environment: Option<Environment>,
    /// Issues the documents again that were refused because another document has their number
    #[arg(long)]
    pub(crate) reissue: bool,
}

#[derive(Args, Debug)]
pub(crate) struct AnnulOptions {
    #[command(flatten)]
    pub(crate) tenant: TenantOptions,
    #[command(flatten)]
    pub(crate) dgii: DgiiOptions,
    /// consumer, fiscal_credit, government or credit_note
    #[arg(long, value_parser = kind, required_unless_present = "resume")]
    pub(crate) kind: Option<DocumentKind>,
    /// The first number of the range that they are of, without letter and type; the range that has --from unless set
    #[arg(long, value_name = "N", required_unless_present_any = ["resume", "from"])]
    pub(crate) range: Option<u64>,
    /// First number to annul; unless set, the next number of the range
    #[arg(long, value_name = "N")]
    pub(crate) from: Option<u64>,
    /// Last number to annul; unless set, the last of the range, or --from if a document had that number
    #[arg(long, value_name = "N")]
    pub(crate) to: Option<u64>,
    /// DGII environment: testecf, certecf or ecf. Default: the environment of the mode
    #[arg(long, value_parser = environment)]
    pub(crate) environment: Option<Environment>,
    /// Sends an annulment with unknown outcome again, byte for byte
    #[arg(long, value_name = "ID", value_parser = annulment, conflicts_with_all = ["kind", "range", "from", "to"])]
    pub(crate) resume: Option<AnnulmentId>,
}

#[derive(Args, Debug)]
pub(crate) struct SequenceOptions {
    #[command(flatten)]
    pub(crate) tenant: TenantOptions,
    /// consumer, fiscal_credit, government or credit_note
    #[arg(long, value_parser = kind)]
    pub(crate) kind: DocumentKind,
    /// The first number of the range, without letter and type
    #[arg(long, value_name = "N")]
    pub(crate) from: u64,
    /// The last number of the range
    #[arg(long, value_name = "N")]
    pub(crate) to: u64,
    /// Last day on which the numbers are valid
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub(crate) valid_until: Option<NaiveDate>,
    /// DGII environment: testecf, certecf or ecf. Default: the environment of the mode
    #[arg(long, value_parser = environment)]
    pub(crate) environment: Option<Environment>,
}
