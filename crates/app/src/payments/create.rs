use domain::{
    AttemptId, CheckoutReference, Currency, Event, EventKind, FiscalDocumentId, MerchantAccountId, Money, PaymentId,
    account::{Account, AccountSelector},
    attempt::{Attempt, AttemptKind},
    fiscal::{ExchangeRate, TaxId, local_date},
    rights::Right,
    sale::{Sale, SaleContext, SaleDraft, SaleIds},
};
use futures_util::future;
use ports::{Change, Commit, Opening, Setup, Tenant};

use super::{attempt::open_attempt, outcome::record_outcome, provider_call, resume::resume};
use crate::{
    Caller, Error, IdempotentRequest, NotFound, Permission, Ports, RenderSale, Response,
    documents::listed_buyer::listed_buyer,
    idempotency::{KeyLease, KeyOutcome},
    merchants::accounts::offered,
    time::call_lease,
    transact::{Step, transact},
};

/// Request for a new payment.
#[derive(Clone, Debug)]
pub struct CreatePayment {
    /// The well-formed content.
    pub draft: SaleDraft,
    /// The `merchant-account` header, as sent.
    pub account: Option<String>,
    /// The `provider` header, as sent.
    pub provider: Option<String>,
}

/// Creates a payment together with the request for the fiscal document.
///
/// Without a provider call this is one commit. A decline or an ambiguous response is a result, which the payment
/// shows.
pub async fn create_payment(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: CreatePayment,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::PaymentsCreate)?;
    let tenant = &caller.tenant();
    // Neither look-up waits for the other.
    let (setup, key_outcome) =
        future::join(ports.merchants.setup(tenant), request.acquire_key(ports, tenant, None)).await;
    let setup = setup?;
    let account = command.account.as_deref().map(|text| named_account(caller, &setup, text)).transpose()?;
    let profile = setup.profile.clone().ok_or(NotFound::MerchantProfileNotFound)?;
    // An account of a provider that this deployment cannot reach is not eligible.
    let is_usable = |it: &&Account| caller.may_use(&it.id).is_ok() && ports.providers.contains_key(&it.provider);
    let accounts = setup.accounts.iter().filter(is_usable).cloned().collect();
    let rate = exchange_rate(ports, tenant, &command.draft.amount.currency).await?;
    let context = SaleContext { profile, accounts, issuer: setup.issuer, rate };
    let mut draft = command.draft.clone();
    draft.document.listed_buyer = listed_buyer(ports, draft.document.buyer_tax_id.as_ref()).await;

    let (command, draft, context, account) = (&command, &draft, &context, &account);
    let mut key_outcome = Some(key_outcome);
    let progress = transact(ports, |_| {
        let first = key_outcome.take();
        async move {
            // After a conflict the next round reads the result of the other request.
            let key_outcome = match first {
                Some(key_outcome) => key_outcome,
                None => request.acquire_key(ports, tenant, None).await,
            };
            match key_outcome? {
                KeyOutcome::Replay(response) => Ok(Step::Return(CreationProgress::Completed(response))),
                KeyOutcome::Resume(lease, attempt) => {
                    Ok(Step::Return(CreationProgress::Completed(resume(ports, tenant, lease, &attempt, render).await?)))
                }
                KeyOutcome::Acquired(lease) => {
                    let provider = command.provider.as_deref().map(|text| offered(ports, text)).transpose()?;
                    let selector = AccountSelector { account: account.clone(), provider };
                    let now = ports.clock.now();
                    let mut sale = draft.clone().open(generate_ids(ports), context, &selector, &ports.limits, now)?;
                    name_buyer(ports, &mut sale).await;
                    commit_of_new_sale(ports, lease, sale, render)
                }
            }
        }
    })
    .await?;
    let (sale, attempt, opening, mut lease) = match progress {
        CreationProgress::Completed(response) => return Ok(response),
        CreationProgress::Opening(opening) => *opening,
    };
    lease.locked(&attempt.id, sale.payment.facts.created_at);
    let response = provider_call::provider(ports, sale.payment.facts.provider)?.open(opening).await;
    record_outcome(ports, sale, &attempt, response, &lease, render).await
}

/// Progress of a creation.
enum CreationProgress {
    Completed(Response),
    /// The provider call is due; the sale and the intent of the call are durable.
    Opening(Box<(Sale, Attempt, Opening, KeyLease)>),
}

/// Returns the commit of a new sale: with the response, or with the intent of a provider call.
fn commit_of_new_sale(
    ports: &Ports,
    lease: KeyLease,
    mut sale: Sale,
    render: RenderSale<'_>,
) -> Result<Step<CreationProgress>, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let opening = opening(ports, &sale);
    let needs_call = provider.needs_opening(&opening);
    let now = sale.payment.facts.created_at;
    let id = opening.attempt.attempt.clone();
    let attempt = needs_call.then(|| open_attempt(&sale, id, AttemptKind::Opening, now));
    let rendered = render(&sale, now);
    let (key, lease_until) = match &attempt {
        None => (lease.complete(ports, &rendered)?, None),
        Some(attempt) => {
            sale.payment.ask_to_open(attempt.id.clone(), now)?;
            (lease.lock(&attempt.id, now), Some(call_lease(now)))
        }
    };
    let commit = Commit {
        payment: Some(Change { to: sale.payment.clone(), based_on: None, lease_until }),
        documents: vec![Change { to: sale.document.clone(), based_on: None, lease_until: None }],
        delivery: sale.document.first_delivery().map(|to| Change { to, based_on: None, lease_until: None }),
        attempts: attempt.iter().cloned().collect(),
        events: vec![Event::new(EventKind::PaymentCreated), Event::new(EventKind::FiscalDocumentRequested)],
        snapshot: Some(Box::new(sale.clone())),
        key: Some(key),
        ..Commit::about(&sale, Some(lease.request_id().clone()), now)
    };
    let progress = match attempt {
        None => CreationProgress::Completed(lease.respond(rendered)),
        Some(attempt) => CreationProgress::Opening(Box::new((sale, attempt, opening, lease))),
    };
    Ok(Step::Commit(Box::new(commit), progress))
}

/// Returns the exchange rate of a currency other than pesos.
async fn exchange_rate(ports: &Ports, tenant: &Tenant, code: &str) -> Result<Option<ExchangeRate>, Error> {
    match Currency::from_code(code) {
        None | Some(Currency::Dop) => Ok(None),
        Some(currency) => {
            let today = local_date(ports.clock.now());
            Ok(ports.merchants.exchange_rate(tenant, currency, today).await?)
        }
    }
}

/// Returns the account that the header names, if permitted for the key.
fn named_account(caller: &Caller, setup: &Setup, text: &str) -> Result<MerchantAccountId, Error> {
    const HEADER: &str = "merchant-account";
    let account = setup.accounts.iter().find(|it| it.id.as_str() == text);
    let id = &account.ok_or_else(|| NotFound::MerchantAccountNotFound.at(HEADER))?.id;
    caller.may_use(id).map_err(|_| Error::Permission(Permission::MerchantAccountNotOwned, Some(HEADER)))?;
    Ok(id.clone())
}

fn generate_ids(ports: &Ports) -> SaleIds {
    SaleIds {
        payment: PaymentId::new(&ports.ids.generate()),
        document: FiscalDocumentId::new(&ports.ids.generate()),
        checkout_reference: CheckoutReference::new(&ports.ids.secret()),
        checkout_link: ports.ids.secret(),
    }
}

/// Adds the buyer's registered name, if the directory responds. Otherwise the name is looked up again before a number
/// is assigned.
async fn name_buyer(ports: &Ports, sale: &mut Sale) {
    let tax_id: Option<TaxId> = sale.document.content().buyer.as_ref().map(|it| it.tax_id.clone());
    if let Some(tax_id) = tax_id
        && let Ok(Some(taxpayer)) = ports.directory.find(&tax_id).await
    {
        let kind = sale.document.content().kind;
        if taxpayer.problem_with(kind).is_none() {
            sale.document = sale.document.clone().with_buyer_name(taxpayer.legal_name);
        }
    }
}

fn opening(ports: &Ports, sale: &Sale) -> Opening {
    let facts = &sale.payment.facts;
    let attempt = AttemptId::new(&ports.ids.generate());
    Opening {
        attempt: ports::AttemptRef { account: facts.account.clone(), attempt },
        payment: facts.id.clone(),
        sale_reference: facts.sale_reference.as_str().to_owned(),
        amount: sale.payment.total_amount(),
        itbis: Money::new(facts.breakdown.taxes_minor_units, facts.amount.currency()),
    }
}
