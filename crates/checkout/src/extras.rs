//! What can be chosen before paying and taken away afterwards, as the page shows it.

use domain::{
    credential::Scope,
    fiscal::{DocumentKind, DocumentStage, DocumentStatus, verification_url},
    payment::PaymentStatus,
    sale::Sale,
};

use crate::{amount::spell, qr::Qr, texts::Texts};

/// The payer's own tip.
pub(crate) struct TipForm {
    pub(crate) currency: &'static str,
    /// What it is now, if it is anything.
    pub(crate) set: Option<String>,
}

/// The document that the payer gets.
pub(crate) struct DocumentForm<'a> {
    pub(crate) kind: &'static str,
    pub(crate) buyer: Option<String>,
    pub(crate) tax_id: &'a str,
    pub(crate) kinds: Vec<KindShown>,
    pub(crate) asks_eligibility: bool,
    pub(crate) is_buyer_locked: bool,
    /// Whether there is anything to choose.
    pub(crate) is_open: bool,
    /// Whether nothing can be paid before the buyer is named.
    pub(crate) is_needed: bool,
}

pub(crate) struct KindShown {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) is_chosen: bool,
}

/// What a payer takes away.
pub(crate) struct Receipt {
    pub(crate) kind: &'static str,
    pub(crate) number: Option<String>,
    pub(crate) buyer: Option<String>,
    pub(crate) paid_at: String,
    pub(crate) code: Option<String>,
    pub(crate) is_issued: bool,
    pub(crate) pending: &'static str,
    pub(crate) qr: Option<Qr>,
    pub(crate) takes_email: bool,
}

impl TipForm {
    pub(crate) fn of(sale: &Sale) -> Self {
        let tip = sale.payment.state().voluntary_tip;
        Self { currency: tip.currency().code(), set: (tip.minor_units() != 0).then(|| spell(tip)) }
    }
}

impl<'a> DocumentForm<'a> {
    pub(crate) fn of(sale: &'a Sale, texts: &Texts) -> Self {
        let (facts, content) = (&sale.document.facts, sale.document.content());
        let available = &sale.payment.facts.display.available_kinds;
        let kind = |kind: &DocumentKind| KindShown {
            code: kind.as_str(),
            name: texts.language.kind(*kind),
            is_chosen: *kind == content.kind,
        };
        let kinds: Vec<KindShown> = match facts.is_kind_locked {
            true => Vec::new(),
            false => DocumentKind::ALL.iter().filter(|it| available.contains(it)).map(kind).collect(),
        };
        Self {
            kind: texts.language.kind(content.kind),
            buyer: buyer(sale),
            tax_id: content.buyer.as_ref().map_or("", |it| it.tax_id.as_str()),
            asks_eligibility: kinds.iter().any(|it| it.code == DocumentKind::Government.as_str())
                && content.government.is_none(),
            is_buyer_locked: facts.is_buyer_locked,
            is_open: !(facts.is_buyer_locked && facts.is_kind_locked),
            is_needed: sale.document.lacks_buyer(),
            kinds,
        }
    }
}

impl Receipt {
    /// Of a payment that is paid, for whoever may see its receipt.
    pub(crate) fn of(sale: &Sale, scope: Option<Scope>, texts: &Texts) -> Option<Self> {
        let at = sale.payment.ended_at().filter(|_| sale.payment.status() == PaymentStatus::Succeeded)?;
        if scope != Some(Scope::Receipt) {
            return None;
        }
        let document = &sale.document;
        let issued = match document.stage() {
            DocumentStage::Issued(issued) => Some(issued),
            _ => None,
        };
        let is_in_trouble = document.status() == DocumentStatus::Rejected;
        Some(Self {
            kind: texts.language.kind(document.content().kind),
            number: issued.map(|it| it.numbered.number.as_str().to_owned()),
            buyer: buyer(sale),
            paid_at: texts.language.moment(at),
            code: issued.map(|it| it.signed.security_code.clone()),
            is_issued: issued.is_some(),
            pending: if is_in_trouble { texts.in_trouble } else { texts.being_issued },
            qr: issued.and_then(|it| Qr::of(verification_url(document, &it.numbered, &it.signed))),
            takes_email: document.status() != DocumentStatus::Canceled,
        })
    }
}

/// The buyer by name, or by number until the register was asked.
fn buyer(sale: &Sale) -> Option<String> {
    let buyer = sale.document.content().buyer.as_ref()?;
    Some(buyer.legal_name.clone().unwrap_or_else(|| buyer.tax_id.as_str().to_owned()))
}
