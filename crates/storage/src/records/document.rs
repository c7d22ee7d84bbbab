use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Currency,
    fiscal::{
        Breakdown, Buyer, Content, DocumentFacts, DocumentKind, EmailDelivery, EmailProblem, EmailStatus, ExchangeRate,
        FiscalLine, GovernmentEligibility, Group, IssuanceMode, Issuer, NoteContent, ServiceCharge, TaxId, TaxableBase,
    },
    text::{BoundedText, Email},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    json::{Json, Own, Ref, record, via},
    optional, parts,
};

via!(TaxId as String: |id| id.as_str().to_owned(), |text| Self::well_formed(&text).ok());
via!(ServiceCharge as i64: |charge| charge.minor_units, |minor_units| Some(Self { minor_units }));
via!(GovernmentEligibility as BoundedText<1, 128>:
    |eligibility| eligibility.authority_reference.clone(),
    |authority_reference| Some(Self { authority_reference })
);

record!(Breakdown {
    taxable_bases,
    exempt_minor_units as "exempt",
    service_charges,
    taxes_minor_units as "taxes",
    total_minor_units as "total",
    non_billable_minor_units as "non_billable",
    tip_base_minor_units as "tip_base",
    groups,
    line_totals,
});
record!(TaxableBase { tax_treatment, base_minor_units as "base", tax_minor_units as "tax" });
record!(Group { group, subtotal_minor_units as "subtotal" });
record!(Buyer { tax_id, legal_name, address, contact_name, email });
record!(FiscalLine {
    source_line_id,
    description,
    quantity,
    measurement_unit as "unit",
    unit_price_minor_units as "unit_price",
    item_kind,
    tax_treatment,
    is_legal_tip_applicable,
    group,
});

parts! {
    /// Content of a document, without the kind and the numbers, which have their own columns.
    ContentParts of Content {
        buyer: Option<Buyer>,
        government: Option<GovernmentEligibility>,
        lines: Vec<FiscalLine>,
        breakdown: Breakdown,
        // Absent in contents that were stored before there were credit notes.
        note: Option<Box<NoteContent>>,
    }
}

via!(Box<NoteContent> as NoteContent: |note| (**note).clone(), |note| Some(Self::new(note)));
record!(NoteContent { refund, original, modified, modification, reason, by_amount, pesos });

/// Terms of a document, fixed by the request.
#[derive(Serialize, Deserialize)]
pub(crate) struct TermsRecord {
    legal_name: Own<BoundedText<1, 256>>,
    trade_name: Own<BoundedText<1, 128>>,
    address: String,
    pub(crate) issuance_mode: Own<IssuanceMode>,
    pub(crate) allowed_kinds: Own<Option<Vec<DocumentKind>>>,
    pub(crate) is_kind_locked: bool,
    pub(crate) is_buyer_locked: bool,
    /// Exchange rate of another currency than pesos.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<Own<RateRecord>>,
}

struct RateRecord {
    ratio: u32,
    day: NaiveDate,
    last_day: NaiveDate,
    source: BoundedText<1, 80>,
}

record!(RateRecord { ratio, day, last_day, source });

impl From<&DocumentFacts> for TermsRecord {
    fn from(facts: &DocumentFacts) -> Self {
        let rate = |rate: &ExchangeRate| RateRecord {
            ratio: rate.ratio(),
            day: rate.day(),
            last_day: rate.last_day(),
            source: rate.source().clone(),
        };
        Self {
            legal_name: Own(facts.issuer.legal_name.clone()),
            trade_name: Own(facts.issuer.trade_name.clone()),
            address: facts.issuer.address.clone(),
            issuance_mode: Own(facts.issuance_mode),
            allowed_kinds: Own(facts.allowed_kinds.clone()),
            is_kind_locked: facts.is_kind_locked,
            is_buyer_locked: facts.is_buyer_locked,
            rate: facts.rate.as_ref().map(|it| Own(rate(it))),
        }
    }
}

impl TermsRecord {
    pub(crate) fn issuer(&self, rnc: &str) -> Option<Issuer> {
        Some(Issuer {
            rnc: TaxId::parse(rnc).ok()?,
            legal_name: self.legal_name.0.clone(),
            trade_name: self.trade_name.0.clone(),
            address: self.address.clone(),
        })
    }

    /// Returns `None` if the rate is not legal for the currency.
    pub(crate) fn rate(&self, currency: Currency) -> Option<Option<ExchangeRate>> {
        optional(self.rate.as_ref(), |Own(rate)| {
            ExchangeRate::new(currency, rate.ratio, rate.day, rate.source.clone(), rate.last_day)
        })
    }
}

/// The delivery of a document by e-mail. The facts depend on the status.
struct DeliveryRecord {
    email: Option<Email>,
    status: String,
    at: Option<DateTime<Utc>>,
    problem: Option<EmailProblem>,
}

record!(DeliveryRecord { email, status, at, problem });
via!(EmailDelivery as DeliveryRecord:
    |delivery| {
        let (status, at, problem) = email_status_parts(&delivery.status);
        DeliveryRecord { email: delivery.email.clone(), status: status.to_owned(), at, problem }
    },
    |DeliveryRecord { email, status, at, problem }| {
        Some(Self { email, status: read_email_status(&status, at, problem)? })
    }
);

/// Facts of the status of an e-mail: name, time and problem.
type EmailStatusParts = (&'static str, Option<DateTime<Utc>>, Option<EmailProblem>);

pub(crate) const fn email_status_parts(status: &EmailStatus) -> EmailStatusParts {
    let (at, problem) = match status {
        EmailStatus::NotRequested | EmailStatus::WaitingForDocument | EmailStatus::Canceled => (None, None),
        EmailStatus::Queued { at } | EmailStatus::Sent { at } => (Some(*at), None),
        EmailStatus::Failed { at, code } => (Some(*at), Some(*code)),
    };
    (status.as_str(), at, problem)
}

/// Returns `None` if the facts are not exactly those of the status.
pub(crate) fn read_email_status(
    status: &str,
    at: Option<DateTime<Utc>>,
    problem: Option<EmailProblem>,
) -> Option<EmailStatus> {
    Some(match (status, at, problem) {
        ("not_requested", None, None) => EmailStatus::NotRequested,
        ("waiting_for_document", None, None) => EmailStatus::WaitingForDocument,
        ("queued", Some(at), None) => EmailStatus::Queued { at },
        ("sent", Some(at), None) => EmailStatus::Sent { at },
        ("failed", Some(at), Some(code)) => EmailStatus::Failed { at, code },
        ("canceled", None, None) => EmailStatus::Canceled,
        _ => return None,
    })
}
