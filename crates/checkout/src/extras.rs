//! Choices before the payment, and the receipt after it.

use domain::{
    credential::Scope,
    fiscal::{DocumentKind, DocumentStage, DocumentStatus, EmailStatus, verification_url},
    payment::PaymentStatus,
    sale::Sale,
};

use crate::{
    amount::format_amount,
    qr::Qr,
    texts::Texts,
    view::{ViewInput, incomplete_kind, is_being_mailed},
};

/// Form for the voluntary tip.
pub(crate) struct TipForm {
    pub(crate) currency: &'static str,
    /// Current tip, if there is one.
    pub(crate) current: Option<String>,
}

/// Form for the fiscal document.
pub(crate) struct DocumentForm<'a> {
    pub(crate) kind: &'static str,
    pub(crate) buyer: Option<String>,
    pub(crate) tax_id: &'a str,
    pub(crate) kinds: Vec<KindOption>,
    pub(crate) asks_eligibility: bool,
    pub(crate) is_buyer_locked: bool,
    /// Whether the payer may change anything.
    pub(crate) is_open: bool,
    /// Whether the document needs a detail before the payment.
    pub(crate) is_incomplete: bool,
}

pub(crate) struct KindOption {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) is_chosen: bool,
}

/// Receipt of a paid payment.
pub(crate) struct Receipt {
    pub(crate) kind: &'static str,
    pub(crate) number: Option<String>,
    pub(crate) buyer: Option<String>,
    pub(crate) paid_at: String,
    pub(crate) security_code: Option<String>,
    pub(crate) is_issued: bool,
    /// Whether a contingency copy is available while the authority is unreachable.
    pub(crate) has_contingency_copy: bool,
    pub(crate) pending: &'static str,
    pub(crate) qr: Option<Qr>,
    /// Total of the document, and the voluntary tip, which is not part of the document.
    pub(crate) total_and_tip: Option<(String, String)>,
    /// Status of the last e-mail, and whether it failed.
    pub(crate) email_status: Option<(&'static str, bool)>,
    pub(crate) accepts_email: bool,
}

impl TipForm {
    pub(crate) fn of(sale: &Sale) -> Self {
        let tip = sale.payment.state().voluntary_tip;
        Self { currency: tip.currency().code(), current: (tip.minor_units() != 0).then(|| format_amount(tip)) }
    }
}

impl<'a> DocumentForm<'a> {
    pub(crate) fn of(sale: &'a Sale, input: &ViewInput<'_>, texts: &Texts) -> Self {
        let chosen = incomplete_kind(sale, input);
        let (facts, content) = (&sale.document.facts, sale.document.content());
        let available = &sale.payment.facts.display.available_kinds;
        let kind = |kind: &DocumentKind| KindOption {
            code: kind.as_str(),
            name: texts.language.kind(*kind),
            is_chosen: *kind == chosen.unwrap_or(content.kind),
        };
        let kinds: Vec<KindOption> = match facts.is_kind_locked {
            true => Vec::new(),
            false => DocumentKind::SALE.iter().filter(|it| available.contains(it)).map(kind).collect(),
        };
        Self {
            kind: texts.language.kind(content.kind),
            buyer: buyer_name(sale),
            tax_id: content.buyer.as_ref().map_or("", |it| it.tax_id.as_str()),
            asks_eligibility: kinds.iter().any(|it| it.code == DocumentKind::Government.as_str())
                && content.government.is_none(),
            is_buyer_locked: facts.is_buyer_locked,
            is_open: !(facts.is_buyer_locked && facts.is_kind_locked),
            is_incomplete: sale.document.lacks_buyer() || chosen.is_some(),
            kinds,
        }
    }
}

fn email_status(sale: &Sale, texts: &Texts) -> Option<(&'static str, bool)> {
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

fn total_and_tip(sale: &Sale) -> Option<(String, String)> {
    let tip = sale.payment.state().voluntary_tip;
    (tip.minor_units() != 0).then(|| (format_amount(sale.document.total()), format_amount(tip)))
}

impl Receipt {
    /// Receipt for a caller with the scope to see it; `None` before the payment has succeeded.
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
        let is_rejected = document.status() == DocumentStatus::Rejected;
        Some(Self {
            kind: texts.language.kind(document.content().kind),
            number: issued.map(|it| it.numbered.number.as_str().to_owned()),
            buyer: buyer_name(sale),
            paid_at: texts.language.moment(at),
            security_code: issued.map(|it| it.signed.security_code.clone()),
            is_issued: issued.is_some(),
            has_contingency_copy: document.stage().in_contingency().is_some(),
            pending: if is_rejected { texts.needs_correction } else { texts.being_issued },
            qr: issued.and_then(|it| Qr::of(verification_url(document, &it.numbered, &it.signed))),
            total_and_tip: total_and_tip(sale),
            email_status: email_status(sale, texts),
            accepts_email: document.status() != DocumentStatus::Canceled,
        })
    }
}

/// Registered name of the buyer, or the number before the name is known.
fn buyer_name(sale: &Sale) -> Option<String> {
    let buyer = sale.document.content().buyer.as_ref()?;
    Some(buyer.legal_name.clone().unwrap_or_else(|| buyer.tax_id.as_str().to_owned()))
}
