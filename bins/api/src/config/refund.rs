use clap::{Args, Subcommand, ValueEnum, value_parser};
use domain::{PaymentId, RefundId, Split, refund::AcquirerReference};

use super::{
    database::DatabaseOptions,
    owner::OperatorOptions,
    values::{line, payment, refund},
};

#[derive(Debug, Subcommand)]
pub(crate) enum RefundCommand {
    /// Prints one line of JSON with a refund: its legs, their attempts, and the status of the credit note
    Show {
        #[command(flatten)]
        database: DatabaseOptions,
        /// The refund
        #[arg(value_name = "ID", value_parser = refund)]
        refund: RefundId,
    },
    /// Prints one line of JSON for each refund of a payment, newest first
    List {
        #[command(flatten)]
        database: DatabaseOptions,
        /// The payment
        #[arg(long, value_name = "ID", value_parser = payment)]
        payment: PaymentId,
    },
    /// Records whether the acquirer returned the money of an escalated leg in doubt. Ask the acquirer first
    Settle(Box<SettleOptions>),
}

#[derive(Args, Debug)]
pub(crate) struct SettleOptions {
    #[command(flatten)]
    pub(crate) operator: OperatorOptions,
    /// The refund
    #[arg(long, value_name = "ID", value_parser = refund)]
    pub(crate) refund: RefundId,
    /// Part of the split. Without a split, a refund has one leg without an ordinal
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=*Split::PART_COUNTS.end() as i64))]
    pub(crate) ordinal: Option<u8>,
    /// Outcome at the acquirer: whether the money was returned
    #[arg(long = "as", value_name = "OUTCOME")]
    pub(crate) outcome: SettledAs,
    /// The acquirer's number of the operation, or of its response
    #[arg(long, value_name = "TEXT", value_parser = line::<64>)]
    pub(crate) reference: AcquirerReference,
}

/// Outcome of a leg, as the acquirer states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SettledAs {
    Succeeded,
    Failed,
}
