//! Messages between taxpayers: documents, acknowledgements and commercial approvals.

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, Utc};

use super::{DocumentStage, FiscalDocument, TaxId};
use crate::{
    Money,
    text::{BoundedText, Digits},
};

/// A document of another taxpayer, as far as its reception checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingDocument {
    /// The authority's number of the type.
    pub ecf_type: u8,
    /// The sender's fiscal number.
    pub number: BoundedText<13, 13>,
    /// The sender. Only the length is checked: the numbers of other taxpayers are not known.
    pub sender: Digits<9, 11>,
    /// The recipient.
    pub recipient: Digits<9, 11>,
    /// The day of issue.
    pub issue_date: NaiveDate,
    /// Total in centavos.
    pub total_minor_units: i64,
}

/// Volume received within a [`PERIOD`](Self::PERIOD).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inflow {
    /// So many documents.
    pub documents: u64,
    /// How long they are together.
    pub bytes: u64,
}

impl Inflow {
    /// How long a document counts.
    pub const PERIOD: TimeDelta = TimeDelta::hours(24);
    /// Limit for one sender: ten times a supplier with hundreds of deliveries a day.
    const OF_A_SENDER: Self = Self { documents: 2_000, bytes: 64 * 1024 * 1024 };
    /// Limit for all senders: a signer can claim any sender number, and received documents are never deleted.
    const OF_ALL: Self = Self { documents: 20_000, bytes: 512 * 1024 * 1024 };

    /// Whether another document may be stored, by the volume of its sender and of all senders.
    pub const fn has_room(of_sender: Self, of_all: Self) -> bool {
        of_sender.is_below(Self::OF_A_SENDER) && of_all.is_below(Self::OF_ALL)
    }

    const fn is_below(self, most: Self) -> bool {
        self.documents < most.documents && self.bytes < most.bytes
    }
}

/// Why a document that came was not received.
///
/// Source: DGII, *Formato Acuse de Recibo v1.0*, `CodigoMotivoNoRecibido`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReceived {
    /// The document does not follow its format.
    Specification,
    /// The signature is invalid, or its signer is not trusted.
    Signature,
    /// The sender has sent another document under the same number.
    Duplicate,
    /// The document is for another recipient.
    OtherRecipient,
}

impl NotReceived {
    /// The authority's code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Specification => 1,
            Self::Signature => 2,
            Self::Duplicate => 3,
            Self::OtherRecipient => 4,
        }
    }
}

/// Types that taxpayers send to each other.
///
/// Source: DGII, *Descripción técnica de facturación electrónica*, on the communication between issuer and receiver.
/// It leaves out 45, of which its own test set approves two; so 45 is accepted as well.
const EXCHANGED: [u8; 5] = [31, 33, 34, 44, 45];

impl IncomingDocument {
    /// Checks that `us` receives the document. An issuer does not send documents to itself.
    ///
    /// # Errors
    ///
    /// The reason of the refusal.
    pub fn check(&self, us: &TaxId) -> Result<(), NotReceived> {
        let stated = self.number.as_str().get(1..3).and_then(|it| it.parse().ok());
        let is_a_number = self.number.as_str().starts_with('E')
            && self.number.as_str().bytes().skip(1).all(|it| it.is_ascii_digit())
            && stated == Some(self.ecf_type);
        let are_taxpayers = [&self.sender, &self.recipient].iter().all(|it| matches!(it.as_str().len(), 9 | 11));
        let is_of_two = self.sender != self.recipient;
        if !is_a_number || !are_taxpayers || !is_of_two || !EXCHANGED.contains(&self.ecf_type) {
            return Err(NotReceived::Specification);
        }
        if self.recipient.as_str() != us.as_str() {
            return Err(NotReceived::OtherRecipient);
        }
        Ok(())
    }
}

/// Response to the sender of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The sender.
    pub sender: Digits<9, 11>,
    /// The number of the document.
    pub number: BoundedText<13, 13>,
    /// The recipient, which responds.
    pub recipient: TaxId,
    /// Receipt, or the reason of the refusal.
    pub verdict: Result<(), NotReceived>,
    /// When.
    pub at: DateTime<Utc>,
}

/// A buyer's approval or rejection of one of our documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommercialApproval {
    /// The issuer of the document.
    pub issuer: Digits<9, 11>,
    /// The number.
    pub number: BoundedText<13, 13>,
    /// The day of issue.
    pub issue_date: NaiveDate,
    /// Total in centavos.
    pub total_minor_units: i64,
    /// The buyer.
    pub buyer: Digits<9, 11>,
    /// Whether the buyer approves the document.
    pub is_accepted: bool,
    /// Why not.
    pub reason: Option<BoundedText<1, 250>>,
    /// Time of the approval, in Dominican local time.
    pub decided_at: NaiveDateTime,
}

/// Reason why an approval does not fit its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotApplicable {
    /// The authority has not accepted the document.
    #[error("the document is not issued")]
    NotIssued,
    /// The document has another buyer, or none.
    #[error("the recipient of the document is another taxpayer")]
    OtherBuyer,
    /// The total or the day differs.
    #[error("the document has another total, or another day of issue")]
    OtherContent,
    /// An approval has a reason without a rejection. A rejection may have none.
    #[error("only a rejection has a reason")]
    Reason,
}

impl CommercialApproval {
    /// Checks that the approval fits `document`.
    ///
    /// # Errors
    ///
    /// The reason of the refusal.
    pub fn check(&self, document: &FiscalDocument) -> Result<(), NotApplicable> {
        let DocumentStage::Issued(issued) = document.stage() else { return Err(NotApplicable::NotIssued) };
        if self.reason.is_some() && self.is_accepted {
            return Err(NotApplicable::Reason);
        }
        let buyer = document.content().buyer.as_ref();
        if buyer.is_none_or(|it| it.tax_id.as_str() != self.buyer.as_str()) {
            return Err(NotApplicable::OtherBuyer);
        }
        let total = document.total_in_pesos();
        let is_same = total == Money::new(self.total_minor_units, total.currency())
            && issued.numbered.number.as_str() == self.number.as_str()
            && issued.numbered.issue_date == self.issue_date;
        if is_same { Ok(()) } else { Err(NotApplicable::OtherContent) }
    }
}
