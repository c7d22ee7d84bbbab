use chrono::{DateTime, Utc};
use domain::{
    AttemptId, Event, InvalidRequest, Money, Precondition, Refusal,
    attempt::{Attempt, AttemptKind, CardSummary},
    rights::Right,
    sale::{AmountDraft, Sale},
};
use futures_util::future;
use ports::{
    Authentication, Browser, CallOutcome, Change, Charge, Commit, Instrument, ProviderResponse, ReturnUrls, Setup,
    Wallet,
};

use super::{
    attempt::open_attempt,
    outcome::record_outcome,
    provider_call,
    resume::{load, resume},
    stored_cards,
};
use crate::{
    Caller, Error, IdempotentRequest, NotFound, Ports, ProviderFailure, RenderSale, Response,
    commit::sale_version,
    idempotency::{KeyLease, KeyOutcome},
    merchants::readiness,
    splits::call::new_attempt,
    splits::window::may_outlast,
    time::call_lease,
    transact::{Step, transact},
};

/// A payer's card, or a wallet or stored card in place of one, for a payment.
pub struct SubmitCard {
    /// The payment, as named in the path.
    pub payment: String,
    /// The card or wallet to charge.
    pub instrument: Instrument,
    /// The part of a split to pay.
    pub part_ordinal: Option<u8>,
    /// The amount that the payer saw, if sent: no other amount is charged.
    pub expected_amount: Option<AmountDraft>,
    /// The payer's browser.
    pub browser: Browser,
    /// Base address for returns from the issuer, as in `https://pay.example.do/c/`.
    pub challenge_base_url: String,
}

/// Charges a card for the whole payment, or reserves a part.
///
/// The provider is called between two commits: the first stores an attempt that can be looked up, the second stores
/// the outcome.
pub async fn submit_card(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: SubmitCard,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::PaymentsPay)?;
    let (tenant, id) = (&caller.tenant(), &caller.payment_named(&command.payment)?);
    let SubmitCard { instrument, part_ordinal, expected_amount, browser, challenge_base_url, .. } = command;
    let card = &instrument;
    let expected = expected_amount.as_ref();

    let progress = transact(ports, |_| async move {
        // The sale is read before the key: an earlier request with the same key has then changed the key, or makes
        // the commit below fail.
        let mut sale = load(ports, tenant, id).await?;
        // The two look-ups run concurrently.
        let (key_outcome, setup) =
            future::join(request.acquire_key(ports, tenant, caller.payment()), ports.merchants.setup(tenant)).await;
        let lease = match key_outcome? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(SubmissionProgress::Completed(response))),
            KeyOutcome::Acquired(lease) => lease,
            KeyOutcome::Resume(lease, attempt) => {
                let response = resume(ports, tenant, lease, &attempt, render).await?;
                return Ok(Step::Return(SubmissionProgress::Completed(response)));
            }
        };
        let now = ports.clock.now();
        check_part(&sale, part_ordinal)?;
        check_accepted(ports, &sale, card, now)?;
        check_condition(request, &sale, part_ordinal, expected)?;
        let version = sale.payment.version();
        let (attempt, events) = match submit(ports, &mut sale, part_ordinal, card, now) {
            Ok(submitted) => submitted,
            // The refusal may be due to a concurrent request that has just released the key.
            Err(_) if lease.is_reopened() && load(ports, tenant, id).await?.payment.version() != version => {
                return Ok(Step::Again);
            }
            Err(refusal) => return Err(refusal),
        };
        check_issuer(ports, &sale, &setup?)?;
        // A call that would not be made needs no intent.
        if !ports.breakers.admits(&sale.payment.facts.account, now) {
            return Err(Error::Provider(ProviderFailure::ProviderUnavailable));
        }
        // In a split, each part has a lease for the call.
        let lease_until = attempt.part.is_none().then(|| call_lease(now));
        let commit = Commit {
            payment: Some(Change { to: sale.payment.clone(), based_on: Some(version), lease_until }),
            attempts: vec![attempt.clone()],
            events,
            snapshot: Some(Box::new(sale.clone())),
            key: Some(lease.lock(&attempt.id, now)),
            ..Commit::about(&sale, Some(request.id.clone()), now)
        };
        // Committed before the provider is called: after a crash the worker finds the attempt, and no charge is lost.
        Ok(Step::Commit(Box::new(commit), SubmissionProgress::Submitted(Box::new((sale, attempt, lease)))))
    });
    let (sale, attempt, mut lease) = match progress.await? {
        SubmissionProgress::Completed(response) => return Ok(response),
        SubmissionProgress::Submitted(submitted) => *submitted,
    };
    lease.locked(&attempt.id, attempt.started_at);
    let authentication = authentication(&sale, &attempt, browser, &challenge_base_url);
    let response = charge(ports, &sale, &attempt, (instrument, authentication)).await?;
    record_outcome(ports, sale, &attempt, response, &lease, render).await
}

/// Progress of a submission.
enum SubmissionProgress {
    Completed(Response),
    /// The attempt is durable, and the provider is not called yet.
    Submitted(Box<(Sale, Attempt, KeyLease)>),
}

/// Checks that the part exists.
fn check_part(sale: &Sale, ordinal: Option<u8>) -> Result<(), Error> {
    let Some(ordinal) = ordinal else { return Ok(()) };
    let missing = |code: NotFound| code.at("partOrdinal");
    let split = sale.payment.split().ok_or_else(|| missing(NotFound::PaymentSplitNotFound))?;
    split.part(ordinal).map(drop).ok_or_else(|| missing(NotFound::PaymentPartNotFound))
}

/// Checks that the sale has an accepted version, and that the amount to charge, for a part or the whole, is the amount
/// that the payer expects.
fn check_condition(
    request: &IdempotentRequest,
    sale: &Sale,
    ordinal: Option<u8>,
    expected: Option<&AmountDraft>,
) -> Result<(), Error> {
    request.conditional(Some(&sale_version(sale)), Ok(()))?;
    let part = ordinal.and_then(|it| sale.payment.split()?.part(it));
    let due = part.map_or_else(|| sale.payment.total_amount(), |it| it.share.amount);
    match expected {
        Some(it) if it.currency != due.currency().code() || it.minor_units != due.minor_units() => {
            Err(Refusal::at(Precondition::PreconditionFailed, "expectedAmount").into())
        }
        _ => Ok(()),
    }
}

/// Checks that a document can be issued for the sale: otherwise no money is taken.
fn check_issuer(ports: &Ports, sale: &Sale, setup: &Setup) -> Result<(), Error> {
    let readiness = readiness::of_sale(ports, sale, setup)?;
    Ok(readiness.check_existing(sale.document.content().kind).map_err(Refusal::without_field)?)
}

/// Submits the card to the sale, for a part or for the whole amount.
fn submit(
    ports: &Ports,
    sale: &mut Sale,
    ordinal: Option<u8>,
    instrument: &Instrument,
    now: DateTime<Utc>,
) -> Result<(Attempt, Vec<Event>), Error> {
    let summary = match instrument {
        Instrument::Card(card) => card.summary_by(&ports.catalog),
        // The card of a wallet is not known here.
        Instrument::Wallet(_) | Instrument::StoredCard(_) => CardSummary::default(),
    };
    let id = AttemptId::new(&ports.ids.generate());
    let link = Some(ports.ids.secret());
    if let Some(ordinal) = ordinal {
        let events = sale.submit_part(ordinal, id.clone(), summary, now)?;
        let attempt = new_attempt(sale, ordinal, id, AttemptKind::Authorization, now)?;
        return Ok((Attempt { link, ..attempt }, events));
    }
    let submitted = sale.submit(id.clone(), summary, now)?;
    Ok((Attempt { link, ..open_attempt(sale, id, AttemptKind::Sale, now) }, vec![submitted]))
}

/// Checks that the account of the sale can be charged with this card or wallet now.
fn check_accepted(ports: &Ports, sale: &Sale, instrument: &Instrument, now: DateTime<Utc>) -> Result<(), Error> {
    let facts = &sale.payment.facts;
    match instrument {
        Instrument::Card(card) if card.is_expired(now) => {
            Err(Refusal::at(InvalidRequest::ParameterInvalid, "card.expirationYear").into())
        }
        Instrument::Card(_) | Instrument::StoredCard(_) => Ok(()),
        // The operator's catalog may list wallets that the provider does not support.
        Instrument::Wallet(Wallet { kind, .. })
            if facts.display.wallets.contains(kind)
                && provider_call::provider(ports, facts.provider)?.supports_wallets() =>
        {
            Ok(())
        }
        Instrument::Wallet(_) => Err(Refusal::at(InvalidRequest::ParameterInvalid, "wallet.kind")
            .with_message("The merchant's account takes no wallet of this kind.")
            .into()),
    }
}

/// Returns the data for 3-D Secure: the browser, and the address of the return. A payment without programs has no 3-D
/// Secure, as shown in the first response.
fn authentication(
    sale: &Sale,
    attempt: &Attempt,
    browser: Browser,
    challenge_base_url: &str,
) -> Option<Authentication> {
    if sale.payment.facts.display.three_ds_programs.is_empty() {
        return None;
    }
    let link = attempt.link.as_ref()?.as_str();
    let returns = ReturnUrls {
        method: format!("{challenge_base_url}{link}/look"),
        challenge: format!("{challenge_base_url}{link}/answer"),
    };
    Some(Authentication { browser, returns })
}

async fn charge(
    ports: &Ports,
    sale: &Sale,
    attempt: &Attempt,
    (instrument, authentication): (Instrument, Option<Authentication>),
) -> Result<ProviderResponse, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    if ports.clock.now() >= call_lease(attempt.started_at) {
        // Another process may have looked the attempt up by now, and found no charge.
        tracing::warn!(attempt = %attempt.id, "a card was delayed beyond its lease and is not submitted");
        return Ok(ProviderResponse { outcome: CallOutcome::Ambiguous, reference: None, token: None });
    }
    let facts = &sale.payment.facts;
    let part = attempt.part.and_then(|ordinal| sale.payment.split()?.part(ordinal));
    let itbis = part
        .map_or(Money::new(facts.breakdown.taxes_minor_units, facts.amount.currency()), |it| it.share.allocated_itbis);
    let charge = Charge {
        attempt: provider_call::reference(&sale.payment, attempt),
        payment: facts.id.clone(),
        amount: attempt.amount,
        itbis,
        statement_descriptor: facts.display.merchant.statement_descriptor.as_str().to_owned(),
        instrument,
        email: sale.document.state().delivery.email.clone(),
        authentication,
        stores_card: attempt.part.is_some() && may_outlast(&*provider),
    };
    let response = match attempt.part {
        Some(_) => provider.hold(charge).await,
        None => provider.charge(charge).await,
    };
    stored_cards::store_token(ports, sale, attempt, response).await
}
