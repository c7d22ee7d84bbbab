//! Opening of a sale from a merchant's request.

use chrono::{DateTime, Utc};

use super::{CheckoutDisplay, Sale};
use crate::{
    CheckoutReference, Conflict, Currency, FiscalDocument, FiscalDocumentId, InvalidRequest, Money, Payment, PaymentId,
    Refusal, Symbols, Unprocessable,
    account::{Account, AccountSelector, Readiness},
    fiscal::{
        Breakdown, Buyer, BuyerRequirement, Content, DocumentFacts, DocumentKind, EmailDelivery, Environment,
        ExchangeRate, FiscalLine, GovernmentEligibility, IssuanceMode, Issuer, IssuerState, TaxId, check_lines,
        local_date,
    },
    merchant::{Address, CheckoutMode, MerchantDisplay, Profile},
    money::AmountLimits,
    payment::PaymentFacts,
    text::{BoundedText, Digits, Email, Prose, WebUrl},
};

/// A merchant's request: well formed, not yet checked against other data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct SaleDraft {
    pub sale_reference: BoundedText<1, 128>,
    pub amount: AmountDraft,
    pub return_url: Option<WebUrl>,
    pub service_label: Option<BoundedText<0, 24>>,
    pub description: Option<BoundedText<1, 80>>,
    pub display_mode: Option<CheckoutMode>,
    pub metadata: Option<Vec<(String, Prose)>>,
    pub document: DocumentDraft,
}

/// An amount in a currency that may not be ours.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct AmountDraft {
    /// Three upper-case letters.
    pub currency: String,
    pub minor_units: i64,
}

/// The document that the merchant requests.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct DocumentDraft {
    pub issuance_mode: IssuanceMode,
    pub kind: DocumentKind,
    pub merchant_invoice_number: BoundedText<1, 20>,
    pub merchant_order_number: Digits<1, 20>,
    pub lines: Vec<FiscalLine>,
    pub delivery_email: Option<Email>,
    /// As received; the digits are checked when the sale is opened.
    pub buyer_tax_id: Option<BoundedText<1, 64>>,
    /// The buyer's number, if its check digit is wrong and the register lists the number.
    pub listed_buyer: Option<TaxId>,
    pub government: Option<GovernmentEligibility>,
    pub allowed_kinds: Option<Vec<DocumentKind>>,
    pub is_kind_locked: bool,
    pub is_buyer_locked: bool,
}

/// Snapshot of the merchant's set-up for a new sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaleContext {
    /// How the merchant introduces itself.
    pub profile: Profile,
    /// Accounts in the mode that the caller may use.
    pub accounts: Vec<Account>,
    /// Numbers and certificates of the issuer.
    pub issuer: IssuerState,
    /// Newest exchange rate of the sale's currency, if foreign.
    pub rate: Option<ExchangeRate>,
}

/// The names that a new sale will have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the name of that thing")]
pub struct SaleIds {
    pub payment: PaymentId,
    pub document: FiscalDocumentId,
    pub checkout_reference: CheckoutReference,
    pub checkout_link: Symbols,
}

impl SaleDraft {
    /// Checks the draft without the merchant's set-up: currency, limits, buyer, lines.
    ///
    /// # Errors
    ///
    /// An [`InvalidRequest`], with the field of the request.
    pub fn check(&self, limits: &AmountLimits) -> Result<(Money, Option<TaxId>), Refusal> {
        let currency = Currency::from_code(&self.amount.currency)
            .ok_or_else(|| Refusal::at(InvalidRequest::CurrencyNotSupported, "amount.currency"))?;
        let amount = Money::new(self.amount.minor_units, currency);
        limits.check(amount).map_err(|code| {
            let message = format!("The amount must be {}.", limits.in_words(amount.currency()));
            Refusal::at(code, "amount.minorUnits").with_message(message)
        })?;
        let listed = self.document.listed_buyer.as_ref();
        let buyer = self.document.buyer_tax_id.as_ref().map(|it| TaxId::of_buyer(it.as_str(), listed)).transpose();
        let buyer = buyer.map_err(|code| Refusal::at(code, "fiscalDocument.buyer.taxId"))?;
        check_lines(&self.document.lines).map_err(|it| it.within("fiscalDocument"))?;
        Ok((amount, buyer))
    }

    /// Opens the sale on the selected account.
    ///
    /// # Errors
    ///
    /// The first [`Refusal`] in the published order: amount, buyer and lines by themselves, then the permanent state,
    /// then the merchant's set-up.
    pub fn open(
        self,
        names: SaleIds,
        context: &SaleContext,
        selector: &AccountSelector,
        limits: &AmountLimits,
        now: DateTime<Utc>,
    ) -> Result<Sale, Refusal> {
        let (amount, buyer) = self.check(limits)?;
        let breakdown = Breakdown::of(&self.document.lines, context.profile.is_propina_applicable);
        let rate = context.rate.as_ref().filter(|it| it.serves(amount.currency(), now));
        let pesos = breakdown.clone().and_then(|it| match rate {
            Some(rate) => it.in_pesos(&self.document.lines, rate),
            None => Ok(it),
        });
        self.check_buyer_can_come(pesos.as_ref().ok().filter(|_| rate.is_some() || is_in_pesos(amount)))?;

        let merchant = context.profile.display()?;
        let mode = self.display_mode.unwrap_or(context.profile.default_checkout_mode);
        if mode == CheckoutMode::AmountOnly && self.description.is_none() {
            return Err(Refusal::at(Unprocessable::PaymentDescriptionRequired, "description"));
        }
        let account = Account::choose(&context.accounts, selector)?;
        let readiness = Readiness::assess(account, Some(&context.profile), &context.issuer, now);
        readiness.check(self.document.kind).map_err(|it| it.within("fiscalDocument"))?;
        let available_kinds = self.document.check_kind(&context.issuer, now)?;
        let breakdown = breakdown.and_then(|it| pesos.map(|_| it)).map_err(|it| it.within("fiscalDocument"))?;
        check_total(amount, &breakdown)?;
        check_currency(amount, account, rate.or(context.rate.as_ref()), now)?;
        let rate = rate.cloned();

        let display = CheckoutDisplay {
            mode,
            locale: context.profile.locale.clone(),
            available_kinds,
            is_propina_applicable: context.profile.is_propina_applicable,
            wallets: account.wallets.clone(),
            card_brands: account.card_brands.clone(),
            three_ds_programs: account.three_ds_programs.clone(),
            merchant,
        };
        let expires_at = now.checked_add_signed(context.profile.payment_window).unwrap_or(now);
        Ok(self.sale(names, account, (amount, rate), buyer, breakdown, display, expires_at, now))
    }

    /// A missing buyer that is locked could never be added: the refusal comes before the card. `stated` are the
    /// amounts in pesos, if known.
    fn check_buyer_can_come(&self, pesos: Option<&Breakdown>) -> Result<(), Refusal> {
        let Some(pesos) = pesos else { return Ok(()) };
        let total = Money::new(pesos.total_minor_units, Currency::Dop);
        let is_required = self.document.kind.buyer_requirement(total) == BuyerRequirement::Required;
        if is_required && self.document.is_buyer_locked && self.document.buyer_tax_id.is_none() {
            return Err(Refusal::at(Conflict::FiscalBuyerRequired, "fiscalDocument.buyer"));
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "every argument is one checked part of the sale")]
    fn sale(
        self,
        names: SaleIds,
        account: &Account,
        (amount, rate): (Money, Option<ExchangeRate>),
        buyer: Option<TaxId>,
        breakdown: Breakdown,
        display: CheckoutDisplay,
        expires_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Sale {
        let document_facts = DocumentFacts {
            id: names.document.clone(),
            payment: names.payment.clone(),
            merchant: account.merchant.clone(),
            mode: account.mode,
            environment: Environment::of(account.mode),
            issuer: Issuer::of(&display.merchant),
            issuance_mode: self.document.issuance_mode,
            currency: amount.currency(),
            rate,
            allowed_kinds: self.document.allowed_kinds,
            is_kind_locked: self.document.is_kind_locked,
            is_buyer_locked: self.document.is_buyer_locked,
            created_at: now,
        };
        let content = Content {
            kind: self.document.kind,
            merchant_invoice_number: self.document.merchant_invoice_number,
            merchant_order_number: self.document.merchant_order_number,
            buyer: buyer.map(Buyer::new),
            government: self.document.government,
            lines: self.document.lines,
            breakdown: breakdown.clone(),
            note: None,
        };
        let payment_facts = PaymentFacts {
            id: names.payment,
            merchant: account.merchant.clone(),
            mode: account.mode,
            account: account.id.clone(),
            provider: account.provider,
            document: names.document,
            amount,
            breakdown,
            sale_reference: self.sale_reference,
            return_url: self.return_url,
            service_label: self.service_label,
            description: self.description,
            metadata: self.metadata,
            display,
            checkout_reference: names.checkout_reference,
            checkout_link: names.checkout_link,
            created_at: now,
        };
        Sale {
            payment: Payment::open(payment_facts, expires_at),
            document: FiscalDocument::request(
                document_facts,
                content,
                EmailDelivery::requested(self.document.delivery_email),
            ),
        }
    }
}

impl DocumentDraft {
    /// Checks the requested kind, and returns the kinds that the payer may choose.
    fn check_kind(&self, issuer: &IssuerState, now: DateTime<Utc>) -> Result<Vec<DocumentKind>, Refusal> {
        let today = local_date(now);
        let is_allowed = |kind: &DocumentKind| self.allowed_kinds.as_ref().is_none_or(|it| it.contains(kind));
        if !is_allowed(&self.kind) {
            return Err(Refusal::at(Unprocessable::FiscalDocumentKindNotAllowed, "fiscalDocument.kind"));
        }
        if !issuer.is_authorized(self.kind) {
            return Err(Refusal::at(Unprocessable::FiscalDocumentKindUnsupported, "fiscalDocument.kind"));
        }
        GovernmentEligibility::check(self.kind, self.government.as_ref())
            .map_err(|code| Refusal::at(code, "fiscalDocument.governmentEligibility"))?;
        let mut available = DocumentKind::SALE.to_vec();
        available.retain(|kind| is_allowed(kind) && issuer.can_issue(*kind, today));
        Ok(available)
    }
}

impl Issuer {
    /// Returns the issuer for documents, from the data of a checkout.
    pub fn of(merchant: &MerchantDisplay) -> Self {
        let Address { line1, line2, city, .. } = &merchant.permanent_address;
        let parts = [Some(line1.as_str()), line2.as_ref().map(|it| it.as_str()), Some(city.as_str())];
        let address = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        Self {
            rnc: merchant.rnc.clone(),
            legal_name: merchant.legal_name.clone(),
            trade_name: merchant.display_name.clone(),
            address,
        }
    }
}

fn check_total(amount: Money, breakdown: &Breakdown) -> Result<(), Refusal> {
    let (pesos, computed) = (amount.minor_units(), breakdown.total_minor_units);
    if pesos == computed {
        return Ok(());
    }
    Err(Refusal::at(Unprocessable::FiscalTotalMismatch, "amount.minorUnits")
        .with_message(format!("The amount is {pesos} minor units, but the lines come to {computed}.")))
}

fn is_in_pesos(amount: Money) -> bool {
    amount.currency() == Currency::Dop
}

/// Documents state pesos: another currency needs a rate that is of today, or old enough to be known and no older.
fn check_currency(
    amount: Money,
    account: &Account,
    rate: Option<&ExchangeRate>,
    now: DateTime<Utc>,
) -> Result<(), Refusal> {
    let currency = amount.currency();
    if !account.currencies.contains(&currency) {
        return Err(Refusal::at(Unprocessable::CurrencyNotSupportedByProvider, "amount.currency"));
    }
    let why = match rate {
        _ if is_in_pesos(amount) => return Ok(()),
        Some(rate) if rate.serves(currency, now) => return Ok(()),
        Some(rate) if rate.currency() == currency => {
            format!("The exchange rate of {} was good until {}.", rate.day(), rate.last_day())
        }
        _ => format!("There is no exchange rate of {} to state the document in pesos.", currency.code()),
    };
    Err(Refusal::at(Unprocessable::CurrencyNotSupportedForFiscalDocument, "amount.currency").with_message(why))
}
