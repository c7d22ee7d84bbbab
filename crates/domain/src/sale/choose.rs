//! Choice of the document's kind and buyer before the payment, and correction after a rejection.

use chrono::{DateTime, Utc};

use super::Sale;
use crate::{
    Conflict, Currency, Event, InvalidRequest, Money, Refusal, Unprocessable,
    account::Readiness,
    fiscal::{
        Breakdown, Buyer, BuyerRequirement, Content, DocumentKind, ExchangeRate, FiscalLine, GovernmentEligibility,
        IssuerState, TaxId, Taxpayer, check_lines,
    },
    payment::PaymentStatus,
    text::{BoundedText, Digits},
};

/// Change of the document before the payment; empty fields stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct Choice {
    pub kind: Option<DocumentKind>,
    /// As received; the digits are checked by the command.
    pub buyer_tax_id: Option<BoundedText<1, 64>>,
    /// The buyer's number, if its check digit is wrong and the register lists the number.
    pub listed_buyer: Option<TaxId>,
    pub government: Option<GovernmentEligibility>,
}

/// New content of a rejected document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct Correction {
    pub kind: DocumentKind,
    pub merchant_invoice_number: BoundedText<1, 20>,
    pub merchant_order_number: Digits<1, 20>,
    pub lines: Vec<FiscalLine>,
    pub buyer_tax_id: Option<BoundedText<1, 64>>,
    /// The same as in [`Choice`].
    pub listed_buyer: Option<TaxId>,
    pub government: Option<GovernmentEligibility>,
}

/// Proposed content, checked against everything but the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    content: Content,
    /// The buyer to look up in the directory, if new or for another kind.
    pub to_confirm: Option<TaxId>,
}

impl Sale {
    /// Returns the content with `choice`.
    ///
    /// # Errors
    ///
    /// The first [`Refusal`] in the published order: the tax id, the state, locks, a missing buyer, the kind, the
    /// merchant's account, the eligibility.
    pub fn propose(
        &self,
        choice: Choice,
        (readiness, issuer): (&Readiness, &IssuerState),
        now: DateTime<Utc>,
    ) -> Result<Proposal, Refusal> {
        let buyer = parse_buyer(choice.buyer_tax_id.as_ref(), choice.listed_buyer.as_ref())?;
        self.check_choosable(now)?;
        let before = self.document.content();
        let kind = choice.kind.unwrap_or(before.kind);
        self.check_locks(kind, buyer.as_ref())?;

        let is_same_buyer = |new: &TaxId| before.buyer.as_ref().is_some_and(|it| it.tax_id == *new);
        let to_confirm = match &buyer {
            Some(new) if !is_same_buyer(new) || kind != before.kind => Some(new.clone()),
            None if kind != before.kind => before.buyer.as_ref().map(|it| it.tax_id.clone()),
            _ => None,
        };
        let government = match choice.government {
            Some(given) => Some(given),
            None => before.government.clone().filter(|_| kind == DocumentKind::Government),
        };
        let buyer = match buyer {
            Some(new) if !is_same_buyer(&new) => Some(Buyer::new(new)),
            _ => before.buyer.clone(),
        };
        let content = Content { kind, buyer, government, ..before.clone() };
        // A missing buyer is refused only with a choice of the kind: a payer may add the buyer later.
        if choice.kind.is_some() && self.lacks_buyer(&content) {
            return Err(Refusal::at(Conflict::FiscalBuyerRequired, "buyer"));
        }
        self.check_kind(&content, issuer)?;
        readiness.check(kind)?;
        check_government(&content)?;
        self.check_not_issuer(to_confirm.as_ref())?;
        Ok(Proposal { content, to_confirm })
    }

    /// Returns the content with `correction`.
    ///
    /// # Errors
    ///
    /// The first [`Refusal`] in the published order: tax id and lines by themselves, the state, a missing buyer, kind,
    /// eligibility, totals.
    pub fn propose_correction(&self, correction: Correction, issuer: &IssuerState) -> Result<Proposal, Refusal> {
        let buyer = parse_buyer(correction.buyer_tax_id.as_ref(), correction.listed_buyer.as_ref())?;
        check_lines(&correction.lines)?;
        self.check_correctable(&correction.lines)?;
        let is_propina_applicable = self.payment.facts.display.is_propina_applicable;
        let breakdown = Breakdown::of(&correction.lines, is_propina_applicable);
        let content = Content {
            kind: correction.kind,
            merchant_invoice_number: correction.merchant_invoice_number,
            merchant_order_number: correction.merchant_order_number,
            buyer: buyer.clone().map(Buyer::new),
            government: correction.government,
            lines: correction.lines,
            breakdown: breakdown.clone().unwrap_or_else(|_| self.document.content().breakdown.clone()),
            note: None,
        };
        if self.lacks_buyer(&content) {
            return Err(Refusal::at(Conflict::FiscalBuyerRequired, "buyer"));
        }
        self.check_kind(&content, issuer)?;
        check_government(&content)?;
        breakdown?;
        let (charged, computed) = (self.payment.facts.amount.minor_units(), content.breakdown.total_minor_units);
        if charged != computed {
            let message = format!("The amount is {charged} minor units, but the lines come to {computed}.");
            return Err(Refusal::at(Unprocessable::FiscalTotalMismatch, "lines").with_message(message));
        }
        self.check_not_issuer(buyer.as_ref())?;
        self.check_statable(&content)?;
        Ok(Proposal { content, to_confirm: buyer })
    }

    /// Checks that the rejected document can be corrected so. A credit note has a correction of its own. After a refund
    /// of document money the credited lines must stay: number, quantity, price, treatment and tip.
    fn check_correctable(&self, lines: &[FiscalLine]) -> Result<(), Refusal> {
        if self.document.refund().is_some() {
            return Err(Conflict::FiscalCorrectionNotAllowed.into());
        }
        self.document.check_correctable()?;
        let before = &self.document.content().lines;
        let is_same = before.len() == lines.len() && before.iter().zip(lines).all(|(was, is)| was.is_credited_as(is));
        if self.payment.state().refunds.has_document_money() && !is_same {
            let message =
                "Money of this document was refunded: its lines must keep number, quantity, price, tax and tip.";
            return Err(Refusal::at(Conflict::FiscalCorrectionNotAllowed, "lines").with_message(message));
        }
        Ok(())
    }

    /// Applies the choice. A choice without a change has no event.
    ///
    /// # Errors
    ///
    /// The [`Refusal`] of a buyer that the directory does not confirm, or of the document's state.
    pub fn choose(
        &mut self,
        proposal: Proposal,
        directory: Option<Option<Taxpayer>>,
        now: DateTime<Utc>,
    ) -> Result<Option<Event>, Refusal> {
        let content = Self::confirmed(proposal, directory)?;
        if content == *self.document.content() {
            return Ok(None);
        }
        let event = self.document.change_content(content, now)?;
        self.payment.document_changed(now);
        Ok(Some(event))
    }

    /// Replaces the refused document; issuing resumes at once.
    ///
    /// # Errors
    ///
    /// As [`choose`](Self::choose).
    pub fn correct(
        &mut self,
        proposal: Proposal,
        directory: Option<Option<Taxpayer>>,
        now: DateTime<Utc>,
    ) -> Result<Event, Refusal> {
        let content = Self::confirmed(proposal, directory)?;
        let event = self.document.correct(content, now)?;
        // A refund that begins at the same time was decided with the lines before.
        self.payment.document_changed(now);
        Ok(event)
    }

    /// An issuer is never its own buyer, with or without the directory.
    fn check_not_issuer(&self, buyer: Option<&TaxId>) -> Result<(), Refusal> {
        match buyer {
            Some(it) if *it == self.document.facts.issuer.rnc => {
                Err(Refusal::at(Unprocessable::FiscalBuyerIsIssuer, "buyer.taxId"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the proposed content with the directory's entry of its buyer.
    fn confirmed(proposal: Proposal, directory: Option<Option<Taxpayer>>) -> Result<Content, Refusal> {
        let Proposal { mut content, to_confirm } = proposal;
        let (Some(_), Some(found)) = (to_confirm, directory) else { return Ok(content) };
        let refused = |code| Refusal::at(code, "buyer.taxId");
        let taxpayer = found.ok_or_else(|| refused(Unprocessable::FiscalBuyerNotRegistered))?;
        if !taxpayer.is_active {
            return Err(refused(Unprocessable::FiscalBuyerInactive));
        }
        if content.kind == DocumentKind::Government && !taxpayer.is_government {
            return Err(refused(Unprocessable::FiscalBuyerNotGovernmentEntity));
        }
        if let Some(buyer) = &mut content.buyer {
            buyer.legal_name = Some(taxpayer.legal_name);
        }
        Ok(content)
    }

    fn check_choosable(&self, now: DateTime<Utc>) -> Result<(), Conflict> {
        match self.payment.status() {
            PaymentStatus::Verifying => Err(Conflict::PaymentAwaitingVerification),
            PaymentStatus::Expired | PaymentStatus::Canceled => Err(Conflict::CheckoutWindowClosed),
            PaymentStatus::RequiresCustomerAction | PaymentStatus::Declined if now >= self.payment.expires_at() => {
                Err(Conflict::CheckoutWindowClosed)
            }
            _ if !self.payment.is_editable(now) => Err(Conflict::PaymentNotEditable),
            _ => Ok(()),
        }
    }

    fn check_locks(&self, kind: DocumentKind, buyer: Option<&TaxId>) -> Result<(), Refusal> {
        let facts = &self.document.facts;
        let before = self.document.content();
        if facts.is_kind_locked && kind != before.kind {
            return Err(Refusal::at(Conflict::FiscalPresetLocked, "kind"));
        }
        let is_another = buyer.is_some_and(|new| before.buyer.as_ref().is_none_or(|it| it.tax_id != *new));
        if facts.is_buyer_locked && is_another {
            return Err(Refusal::at(Conflict::FiscalPresetLocked, "buyer"));
        }
        Ok(())
    }

    fn check_kind(&self, content: &Content, issuer: &IssuerState) -> Result<(), Refusal> {
        let kind = content.kind;
        let is_allowed = self.document.facts.allowed_kinds.as_ref().is_none_or(|it| it.contains(&kind));
        if !is_allowed {
            return Err(Refusal::at(Unprocessable::FiscalDocumentKindNotAllowed, "kind"));
        }
        if !issuer.is_authorized(kind) {
            return Err(Refusal::at(Unprocessable::FiscalDocumentKindUnsupported, "kind"));
        }
        Ok(())
    }

    /// Documents are in pesos, at the rate that was frozen with the sale.
    fn check_statable(&self, content: &Content) -> Result<(), Refusal> {
        let facts = &self.document.facts;
        match &facts.rate {
            _ if facts.currency == Currency::Dop => Ok(()),
            Some(rate) => content.breakdown.in_pesos(&content.lines, rate).map(drop),
            None => Err(Refusal::at(Unprocessable::CurrencyNotSupportedForFiscalDocument, "amount.currency")),
        }
    }

    fn lacks_buyer(&self, content: &Content) -> bool {
        let facts = &self.document.facts;
        let pesos = |it: &ExchangeRate| content.breakdown.in_pesos(&content.lines, it).ok();
        let pesos = facts.rate.as_ref().and_then(pesos).map(|it| Money::new(it.total_minor_units, Currency::Dop));
        let total = pesos.unwrap_or(Money::new(content.breakdown.total_minor_units, facts.currency));
        content.buyer.is_none() && content.kind.buyer_requirement(total) == BuyerRequirement::Required
    }
}

fn check_government(content: &Content) -> Result<(), Refusal> {
    GovernmentEligibility::check(content.kind, content.government.as_ref())
        .map_err(|code| Refusal::at(code, "governmentEligibility"))
}

fn parse_buyer(text: Option<&BoundedText<1, 64>>, listed: Option<&TaxId>) -> Result<Option<TaxId>, Refusal> {
    let parsed = text.map(|it| TaxId::of_buyer(it.as_str(), listed)).transpose();
    parsed.map_err(|code: InvalidRequest| Refusal::at(code, "buyer.taxId"))
}
