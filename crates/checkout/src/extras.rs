//! What can be chosen before paying and taken away afterwards, as the page shows it.

use domain::{
    credential::Scope,
    fiscal::{DocumentKind, DocumentStage, DocumentStatus, EmailStatus, verification_url},
    payment::PaymentStatus,
    sale::Sale,
};

use crate::{
    amount::spell,
    page::{Shown, is_being_mailed},
    qr::Qr,
    texts::Texts,
};

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
    /// Whether a contingency copy is available while the authority is unreachable.
    pub(crate) has_contingency_copy: bool,
    pub(crate) pending: &'static str,
    pub(crate) qr: Option<Qr>,
    /// Total of the document and tip, where one was given.
    pub(crate) apart: Option<(String, String)>,
    /// What became of the last mail, and whether that is bad.
    pub(crate) mailed: Option<(&'static str, bool)>,
    pub(crate) takes_email: bool,
}

impl TipForm {
    pub(crate) fn of(sale: &Sale) -> Self {
        let tip = sale.payment.state().voluntary_tip;
        Self { currency: tip.currency().code(), set: (tip.minor_units() != 0).then(|| spell(tip)) }
    }
}

impl<'a> DocumentForm<'a> {
    pub(crate) fn of(sale: &'a Sale, shown: &Shown<'_>, texts: &Texts) -> Self {
        let wanted = wanted(sale, shown);
        let (facts, content) = (&sale.document.facts, sale.document.content());
        let available = &sale.payment.facts.display.available_kinds;
        let kind = |kind: &DocumentKind| KindShown {
            code: kind.as_str(),
            name: texts.language.kind(*kind),
            is_chosen: *kind == wanted.unwrap_or(content.kind),
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
            is_needed: sale.document.lacks_buyer() || wanted.is_some(),
            kinds,
        }
    }
}

/// The kind of document that the payer has chosen and that lacks something yet: nobody pays before that is settled.
pub(crate) fn wanted(sale: &Sale, shown: &Shown<'_>) -> Option<DocumentKind> {
    let is_offered = |it: &DocumentKind| sale.payment.facts.display.available_kinds.contains(it);
    let may_choose = !sale.document.facts.is_kind_locked && sale.payment.is_editable(shown.now);
    shown.typed.kind.filter(|it| may_choose && is_offered(it) && *it != sale.document.content().kind)
}

/// What became of the last mail that was asked for, and whether that is bad.
fn mailed(sale: &Sale, texts: &Texts) -> Option<(&'static str, bool)> {
    match sale.document.state().delivery.status {
        _ if is_being_mailed(sale) => Some((texts.mail_queued, false)),
        EmailStatus::Sent { .. } => Some((texts.mail_sent, false)),
        EmailStatus::Failed { .. } => Some((texts.mail_failed, true)),
        EmailStatus::NotRequested
        | EmailStatus::WaitingForDocument
        | EmailStatus::Queued { .. }
        | EmailStatus::Canceled => None,
    }
}

/// What the document states and the tip beside it, where there is one: both together were paid.
fn apart(sale: &Sale) -> Option<(String, String)> {
    let tip = sale.payment.state().voluntary_tip;
    (tip.minor_units() != 0).then(|| (spell(sale.document.total()), spell(tip)))
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
            has_contingency_copy: document.stage().in_contingency().is_some(),
            pending: if is_in_trouble { texts.in_trouble } else { texts.being_issued },
            qr: issued.and_then(|it| Qr::of(verification_url(document, &it.numbered, &it.signed))),
            apart: apart(sale),
            mailed: mailed(sale, texts),
            takes_email: document.status() != DocumentStatus::Canceled,
        })
    }
}

/// The buyer by name, or by number until the register was asked.
fn buyer(sale: &Sale) -> Option<String> {
    let buyer = sale.document.content().buyer.as_ref()?;
    Some(buyer.legal_name.clone().unwrap_or_else(|| buyer.tax_id.as_str().to_owned()))
}
