use chrono::{DateTime, Utc};
use domain::{
    RequestId, Symbols,
    attempt::Attempt,
    payment::{AuthReturn, Challenge, Stage},
    sale::Sale,
};
use ports::{AuthStep, BrowserReturn, CallOutcome, Commit, ProviderResponse, Tenant};

use super::{
    outcome::{decide, expire_window_if_over},
    provider_call,
    provider_call::UNFINISHABLE_AUTHENTICATION,
    stored_cards,
};
use crate::{
    Error, Ports,
    commit::changed,
    time::call_lease,
    transact::{Step, current, transact},
};

/// Data that a payer's browser returns from the issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IssuerReturn {
    /// The issuer's notification after the 3-D Secure method.
    MethodNotification,
    /// The browser has waited for the 3-D Secure method.
    MethodDone,
    /// The result of the challenge, in the provider's encoding.
    ChallengeResult(String),
}

/// The sale of an attempt with a challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChallengedSale {
    /// The sale.
    pub sale: Sale,
    /// The part of a split that the attempt is for.
    pub part: Option<u8>,
    /// The pending challenge, if any.
    pub challenge: Option<Challenge>,
    /// Whether this return changed the attempt. Any other request may come from a third party that knows the address of
    /// the return, so must not lead to the payment.
    pub changed_attempt: bool,
}

/// Returns the sale of a challenge link; `None` if there is no such link. The link is the only credential.
pub async fn get_challenge(ports: &Ports, link: &str) -> Result<Option<ChallengedSale>, Error> {
    let Some((tenant, attempt)) = find(ports, link).await? else { return Ok(None) };
    let sale = load(ports, &tenant, &attempt).await?;
    Ok(Some(ChallengedSale::of(sale, &attempt, ports.clock.now())))
}

/// Takes a browser's return from the issuer, and continues the authentication; `None` if there is no such link.
///
/// The provider is called between two commits, as for a card: the first takes the return, once, and the second stores
/// the outcome. A repeated or late return is recorded without effect.
pub async fn return_from_issuer(
    ports: &Ports,
    link: &str,
    returned_data: IssuerReturn,
    request: Option<&RequestId>,
) -> Result<Option<ChallengedSale>, Error> {
    let Some((tenant, attempt)) = &find(ports, link).await? else { return Ok(None) };
    ports.clock_guard.check()?;
    let kind = returned_data.kind();
    let taken = transact(ports, |_| async move {
        let before = load(ports, tenant, attempt).await?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let events = after.challenge_returned(&attempt.id, kind, now);
        let is_applied = events.is_some();
        let returned = Some(BrowserReturn { attempt: attempt.id.clone(), kind, is_applied });
        let commit = changed(&before, &after, request.cloned(), now);
        let commit = Commit { returned, events: events.unwrap_or_default(), ..commit };
        Ok::<_, Error>(Step::Commit(Box::new(commit), (before, after, is_applied, now)))
    });
    let (before, after, is_applied, now) = taken.await?;
    if !is_applied {
        tracing::warn!(attempt = %attempt.id, kind = kind.as_str(), "a return from the issuer was ignored");
        return Ok(Some(ChallengedSale::of(after, attempt, now)));
    }
    let is_method_notified = waiting(&before, attempt).is_some_and(|it| it.is_method_notified);
    let Some(step) = returned_data.step(is_method_notified) else {
        return Ok(Some(ChallengedSale::of(after, attempt, now)));
    };
    let response = continue_authentication(ports, &after, attempt, step, now).await?;
    let recorded = record(ports, after, attempt, response, request).await?;
    Ok(Some(ChallengedSale { changed_attempt: true, ..recorded }))
}

impl IssuerReturn {
    const fn kind(&self) -> AuthReturn {
        match self {
            Self::MethodNotification => AuthReturn::MethodNotified,
            Self::MethodDone => AuthReturn::MethodDone,
            Self::ChallengeResult(_) => AuthReturn::ChallengeDone,
        }
    }

    /// Returns the step for the provider; `None` for a notification.
    fn step(self, is_method_notified: bool) -> Option<AuthStep> {
        match self {
            Self::MethodNotification => None,
            Self::MethodDone => Some(AuthStep::MethodDone { is_method_notified }),
            Self::ChallengeResult(result) => Some(AuthStep::ChallengeDone { result }),
        }
    }
}

impl ChallengedSale {
    fn of(sale: Sale, attempt: &Attempt, now: DateTime<Utc>) -> Self {
        let challenge = waiting(&sale, attempt).filter(|it| !it.is_over(now)).cloned();
        Self { sale, part: attempt.part, challenge, changed_attempt: false }
    }
}

async fn find(ports: &Ports, link: &str) -> Result<Option<(Tenant, Attempt)>, Error> {
    let Some(link) = Symbols::parse(link) else { return Ok(None) };
    Ok(ports.sales.find_challenged(&link).await?)
}

async fn load(ports: &Ports, tenant: &Tenant, attempt: &Attempt) -> Result<Sale, Error> {
    let sale = ports.sales.find(tenant, &attempt.payment).await?;
    sale.ok_or_else(|| Error::internal("the payment of an attempt does not exist"))
}

/// Returns the challenge that the attempt waits for.
fn waiting<'a>(sale: &'a Sale, attempt: &Attempt) -> Option<&'a Challenge> {
    match sale.payment.stage() {
        Stage::RequiresCustomerAction(Some(it)) if it.attempt == attempt.id => Some(&it.challenge),
        Stage::Split(split) => split.part_of_attempt(&attempt.id)?.challenge(),
        _ => None,
    }
}

/// Continues the authentication at the provider, unless the lease on the call has ended.
async fn continue_authentication(
    ports: &Ports,
    sale: &Sale,
    attempt: &Attempt,
    step: AuthStep,
    began_at: DateTime<Utc>,
) -> Result<ProviderResponse, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    if ports.clock.now() >= call_lease(began_at) {
        tracing::warn!(attempt = %attempt.id, "an authentication was delayed beyond its lease and is not continued");
        return Ok(ProviderResponse { outcome: CallOutcome::Ambiguous, reference: None, token: None });
    }
    let attempt_ref = provider_call::reference(&sale.payment, attempt);
    let response = provider.continue_authentication(attempt_ref, attempt.provider_reference.clone(), step).await;
    stored_cards::store_token(
        ports,
        sale,
        attempt,
        ProviderResponse { outcome: continued(response.outcome), ..response },
    )
    .await
}

/// Returns the outcome of a step that the provider did not take. The card was submitted before, so the attempt
/// counts. Each step is made once, and without this step the provider takes no money: another card may be tried.
fn continued(outcome: CallOutcome) -> CallOutcome {
    match outcome {
        CallOutcome::NotSubmitted(_) => CallOutcome::Declined(UNFINISHABLE_AUTHENTICATION),
        outcome => outcome,
    }
}

/// Commits the outcome of the provider call.
async fn record(
    ports: &Ports,
    sale: Sale,
    attempt: &Attempt,
    response: ProviderResponse,
    request: Option<&RequestId>,
) -> Result<ChallengedSale, Error> {
    let (sale, response) = (&sale, &response);
    transact(ports, |refused| async move {
        let before = expire_window_if_over(ports, current(ports, sale, refused).await?).await?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let ambiguous = provider_call::ambiguous_response(refused, attempt, response);
        let decided = decide(ports, &mut after, attempt, ambiguous.as_ref().unwrap_or(response), now).await?;
        let is_same = after == before && decided.attempts.is_empty();
        let commit = changed(&before, &after, request.cloned(), now);
        let commit = Box::new(Commit { attempts: decided.attempts, events: decided.events, ..commit });
        let shown = ChallengedSale::of(after, attempt, now);
        Ok(if is_same { Step::Return(shown) } else { Step::Commit(commit, shown) })
    })
    .await
}
