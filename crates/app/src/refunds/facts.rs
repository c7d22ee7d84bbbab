//! Facts that decisions about refunds are based on.

use chrono::{DateTime, Utc};
use domain::{
    FiscalDocumentId, PaymentId, RefundId,
    attempt::CardSummary,
    refund::{AccountState, BalanceViolation, OriginalDocument, RefundFacts, RefundOrigin, RefundSettlement},
    refund::{RefundTerms, RefundedSale},
    sale::Sale,
};
use futures_util::future;
use ports::Tenant;

use crate::{Caller, Error, NotFound, Ports, commit::tenant_of, merchants::readiness, payments::provider_call};

/// Conditions of the acquirer and state of the account.
pub(super) type Conditions = (RefundTerms, AccountState);

/// Returns the conditions of a refund of the sale.
pub(super) async fn conditions(ports: &Ports, sale: &Sale) -> Result<Conditions, Error> {
    let facts = &sale.payment.facts;
    let provider = provider_call::provider(ports, facts.provider)?;
    let tenant = tenant_of(sale);
    let (terms, setup) = future::join(provider.refund_terms(&facts.account), ports.merchants.setup(&tenant)).await;
    let setup = setup?;
    let account = setup.accounts.iter().find(|account| account.id == facts.account);
    Ok((terms, AccountState::of(account, &readiness::issuer_of(sale, &setup), ports.clock.now())))
}

/// Returns the sale with its refunds, for a caller with access.
pub(super) async fn refunded_sale(ports: &Ports, caller: &Caller, id: &PaymentId) -> Result<RefundedSale, Error> {
    let sale = stored(ports, &caller.tenant(), id).await?;
    caller.may_use(&sale.sale.payment.facts.account)?;
    Ok(sale)
}

/// Returns the sale with its refunds.
pub(super) async fn stored(ports: &Ports, tenant: &Tenant, id: &PaymentId) -> Result<RefundedSale, Error> {
    let found = ports.refunds.refunded_sale(tenant, id).await?;
    found.ok_or(Error::NotFound(NotFound::PaymentNotFound, Some("paymentId")))
}

/// Returns the facts of a new refund through the acquirer.
pub(super) fn new_facts(ports: &Ports, sale: &Sale, origin: RefundOrigin, now: DateTime<Utc>) -> RefundFacts {
    let facts = &sale.payment.facts;
    let has_document = !sale.payment.is_left_in_part();
    let original = has_document.then(|| OriginalDocument::of(&sale.document, false));
    RefundFacts {
        id: RefundId::new(&ports.ids.generate()),
        payment: facts.id.clone(),
        merchant: facts.merchant.clone(),
        mode: facts.mode,
        account: facts.account.clone(),
        currency: facts.amount.currency(),
        origin,
        settlement: RefundSettlement::Acquirer,
        settlement_reference: None,
        refund_reference: None,
        retried: None,
        metadata: None,
        original_issued_on: original.and_then(|original| original.issued_on),
        created_at: now,
    }
}

/// Returns the name of the next credit note.
pub(super) fn note_id(ports: &Ports) -> FiscalDocumentId {
    FiscalDocumentId::new(&ports.ids.generate())
}

/// Returns the card of a charge.
pub(super) fn card_of(sale: &Sale, ordinal: Option<u8>) -> Option<CardSummary> {
    match ordinal {
        None => sale.payment.state().method.clone(),
        Some(ordinal) => sale.payment.split()?.part(ordinal)?.state().method.clone(),
    }
}

/// Error for stored refunds that contradict their sale.
pub(super) fn contradiction() -> Error {
    Error::internal("the stored refunds contradict their sale")
}

impl From<BalanceViolation> for Error {
    fn from(violation: BalanceViolation) -> Self {
        Self::internal(violation)
    }
}
