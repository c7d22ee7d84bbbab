//! What taxpayers hand each other beside the authority: documents, acknowledgements of them, and approvals.

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, Utc};

use super::{DocumentStage, FiscalDocument, TaxId};
use crate::{
    Money,
    text::{Digits, Line},
};

/// A document that another taxpayer made out, as far as its reception looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingDocument {
    /// The authority's number of its type.
    pub ecf_type: u8,
    /// Its number, which is its sender's.
    pub number: Line<13, 13>,
    /// Who made it out. Nobody here knows which numbers exist, so that only their length counts.
    pub sender: Digits<9, 11>,
    /// To whom.
    pub recipient: Digits<9, 11>,
    /// The day of issue.
    pub issue_date: NaiveDate,
    /// Its total, in centavos.
    pub total_minor_units: i64,
}

/// How much has come to somebody within [`PERIOD`](Self::PERIOD), and is kept.
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
    /// From one sender: ten times what a supplier of hundreds of deliveries a day sends.
    const OF_A_SENDER: Self = Self { documents: 2_000, bytes: 64 * 1024 * 1024 };
    /// From all of them: whoever may sign can claim to be any sender, and what is received is never removed.
    const OF_ALL: Self = Self { documents: 20_000, bytes: 512 * 1024 * 1024 };

    /// Whether another document may be kept, after what came from its sender and from all of them.
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
    /// It does not follow its format.
    Specification,
    /// Its signature does not hold, or is nobody's who may sign.
    Signature,
    /// Another document came from its sender under the same number.
    Duplicate,
    /// It was made out to somebody else.
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

/// The kinds that taxpayers send each other.
///
/// Source: DGII, *Descripción técnica de facturación electrónica*, on the communication between issuer and receiver. It
/// leaves out 45, of which its own test set approves two; so those are received as well.
const EXCHANGED: [u8; 5] = [31, 33, 34, 44, 45];

impl IncomingDocument {
    /// Whether `us` receives it, all else being well. Nobody makes a document out to themselves.
    ///
    /// # Errors
    ///
    /// Why not.
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

/// What a sender is told of a document that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Who sent it.
    pub sender: Digits<9, 11>,
    /// The number of the document.
    pub number: Line<13, 13>,
    /// Who tells.
    pub recipient: TaxId,
    /// That it was received, or why not.
    pub verdict: Result<(), NotReceived>,
    /// When.
    pub at: DateTime<Utc>,
}

/// What a buyer says of a document that we made out to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommercialApproval {
    /// Who made the document out.
    pub issuer: Digits<9, 11>,
    /// Its number.
    pub number: Line<13, 13>,
    /// Its day of issue.
    pub issue_date: NaiveDate,
    /// Its total, in centavos.
    pub total_minor_units: i64,
    /// Who says so.
    pub buyer: Digits<9, 11>,
    /// Whether the buyer takes it.
    pub is_accepted: bool,
    /// Why not.
    pub reason: Option<Line<1, 250>>,
    /// When the buyer said so, by the Dominican clock.
    pub said_at: NaiveDateTime,
}

/// Why an approval is not of the document that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotApplicable {
    /// The authority has not accepted the document.
    #[error("the document is not issued")]
    NotIssued,
    /// It is to nobody, or to somebody else.
    #[error("the document was made out to somebody else")]
    OtherBuyer,
    /// It states another total, or another day.
    #[error("the document has another total, or another day of issue")]
    OtherContent,
    /// It gives a reason and does not reject. One that rejects may do so without.
    #[error("only a rejection has a reason")]
    Reason,
}

impl CommercialApproval {
    /// Whether it is one of `document`.
    ///
    /// # Errors
    ///
    /// Why not.
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
