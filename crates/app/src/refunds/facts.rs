//! Facts that decisions about refunds are based on.

use chrono::{DateTime, Utc};
use domain::{
    FiscalDocumentId, PaymentId, RefundId,
    refund::{
        AccountState, OriginalDocument, RefundConditions, RefundContradiction, RefundFacts, RefundOrigin,
        RefundSettlement, RefundedSale,
    },
    sale::Sale,
};
use futures_util::future;
use ports::Tenant;

use crate::{Caller, Error, NotFound, Ports, commit::tenant_of, merchants::readiness, payments::provider_call};

/// Returns the conditions of a refund of the sale.
pub(super) async fn conditions(ports: &Ports, sale: &Sale) -> Result<RefundConditions, Error> {
    let facts = &sale.payment.facts;
    let provider = provider_call::provider(ports, facts.provider)?;
    let tenant = tenant_of(sale);
    let (terms, setup) = future::join(provider.refund_terms(&facts.account), ports.merchants.setup(&tenant)).await;
    let setup = setup?;
    let account = setup.accounts.iter().find(|account| account.id == facts.account);
    let account = AccountState::of(account, &readiness::issuer_of(sale, &setup), ports.clock.now());
    Ok(RefundConditions { terms, account })
}

/// Returns the sale with its refunds, for a caller with access.
pub(super) async fn load_sale_for(ports: &Ports, caller: &Caller, id: &PaymentId) -> Result<RefundedSale, Error> {
    let sale = load_sale(ports, &caller.tenant(), id).await?;
    caller.may_use(&sale.sale.payment.facts.account)?;
    Ok(sale)
}

/// Returns the sale with its refunds.
pub(super) async fn load_sale(ports: &Ports, tenant: &Tenant, id: &PaymentId) -> Result<RefundedSale, Error> {
    let found = ports.refunds.refunded_sale(tenant, id).await?;
    found.ok_or(NotFound::PaymentNotFound.at("paymentId"))
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

/// Returns the ID of the next credit note.
pub(super) fn note_id(ports: &Ports) -> FiscalDocumentId {
    FiscalDocumentId::new(&ports.ids.generate())
}

impl From<RefundContradiction> for Error {
    fn from(contradiction: RefundContradiction) -> Self {
        Self::internal(contradiction)
    }
}
