use chrono::{DateTime, Utc};
use domain::{
    RequestId, Symbols,
    attempt::Attempt,
    payment::{Challenge, Return, Stage},
    sale::Sale,
};
use ports::{AuthStep, CallOutcome, Commit, ProviderResponse, Returned, Tenant};

use super::{
    outcome::{decide, window_passed},
    provider_call,
    provider_call::UNASKED,
    stored_cards,
};
use crate::{
    Error, Ports,
    commit::{changed, commit_about},
    time::call_lease,
    transact::{Step, current, transact},
};

/// What a payer's browser brings from the issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IssuerReturn {
    /// The issuer's word that it has looked at the browser.
    Notice,
    /// Nothing: it has waited for the look.
    Look,
    /// What the issuer made of the cardholder's answer, in words that only the provider understands.
    Answer(String),
}

/// What became of an attempt that an issuer was to see a browser for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChallengedSale {
    /// The sale.
    pub sale: Sale,
    /// The part of a split that the attempt is for.
    pub part: Option<u8>,
    /// What the issuer wants of the browser now, if it waits for it.
    pub challenge: Option<Challenge>,
    /// Whether this return moved the attempt. Any other request may come from a third party that knows the address of
    /// the return, so that it must not lead to the payment.
    pub is_moved: bool,
}

/// The sale that a payer's browser was sent to the issuer for. The link is all that it takes to see it; `None` if it
/// opens nothing.
pub async fn get_challenge(ports: &Ports, link: &str) -> Result<Option<ChallengedSale>, Error> {
    let Some((tenant, attempt)) = find(ports, link).await? else { return Ok(None) };
    let sale = load(ports, &tenant, &attempt).await?;
    Ok(Some(ChallengedSale::of(sale, &attempt, ports.clock.now())))
}

/// A payer's browser comes back from the issuer, and the provider is asked to go on; `None` if the link opens nothing.
///
/// Two commits with the provider's call between them, as for a card: the first takes the return, of which there is one,
/// and the second says what became of the attempt. What comes twice, or too late, is written down and moves nothing.
pub async fn return_from_issuer(
    ports: &Ports,
    link: &str,
    brought: IssuerReturn,
    request: Option<&RequestId>,
) -> Result<Option<ChallengedSale>, Error> {
    let Some((tenant, attempt)) = &find(ports, link).await? else { return Ok(None) };
    ports.clock_guard.check()?;
    let back = brought.kind();
    let taken = transact(ports, |_| async move {
        let before = load(ports, tenant, attempt).await?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let told = after.challenge_returned(&attempt.id, back, now);
        let is_taken = told.is_some();
        let returned = Some(Returned { attempt: attempt.id.clone(), back, is_taken });
        let commit = changed(&before, &after, commit_about(&after, request.cloned(), now));
        let commit = Commit { returned, events: told.unwrap_or_default(), ..commit };
        Ok::<_, Error>(Step::Commit(Box::new(commit), (before, after, is_taken, now)))
    });
    let (before, after, is_taken, now) = taken.await?;
    if !is_taken {
        tracing::warn!(attempt = %attempt.id, kind = back.as_str(), "a return from the issuer was ignored");
        return Ok(Some(ChallengedSale::of(after, attempt, now)));
    }
    let is_noticed = waiting(&before, attempt).is_some_and(|it| it.is_noticed);
    let Some(step) = brought.step(is_noticed) else {
        return Ok(Some(ChallengedSale::of(after, attempt, now)));
    };
    let said = go_on(ports, &after, attempt, step, now).await?;
    let recorded = record(ports, after, attempt, said, request).await?;
    Ok(Some(ChallengedSale { is_moved: true, ..recorded }))
}

impl IssuerReturn {
    const fn kind(&self) -> Return {
        match self {
            Self::Notice => Return::Notice,
            Self::Look => Return::Look,
            Self::Answer(_) => Return::Answer,
        }
    }

    /// What the provider is told; nothing of a mere notice.
    fn step(self, is_noticed: bool) -> Option<AuthStep> {
        match self {
            Self::Notice => None,
            Self::Look => Some(AuthStep::Looked { is_noticed }),
            Self::Answer(result) => Some(AuthStep::Answered { result }),
        }
    }
}

impl ChallengedSale {
    fn of(sale: Sale, attempt: &Attempt, now: DateTime<Utc>) -> Self {
        let challenge = waiting(&sale, attempt).filter(|it| !it.is_over(now)).cloned();
        Self { sale, part: attempt.part, challenge, is_moved: false }
    }
}

async fn find(ports: &Ports, link: &str) -> Result<Option<(Tenant, Attempt)>, Error> {
    let Some(link) = Symbols::parse(link) else { return Ok(None) };
    Ok(ports.sales.find_challenged(&link).await?)
}

async fn load(ports: &Ports, tenant: &Tenant, attempt: &Attempt) -> Result<Sale, Error> {
    let sale = ports.sales.find(tenant, &attempt.payment).await?;
    sale.ok_or_else(|| Error::internal("the payment of an attempt is gone"))
}

/// What the attempt waits for, if it does.
fn waiting<'a>(sale: &'a Sale, attempt: &Attempt) -> Option<&'a Challenge> {
    match sale.payment.stage() {
        Stage::RequiresCustomerAction(Some(it)) if it.attempt == attempt.id => Some(&it.challenge),
        Stage::Split(split) => split.part_of_attempt(&attempt.id)?.challenge(),
        _ => None,
    }
}

/// Asks the provider to go on, unless that took so long that others may take the call for lost.
async fn go_on(
    ports: &Ports,
    sale: &Sale,
    attempt: &Attempt,
    step: AuthStep,
    began_at: DateTime<Utc>,
) -> Result<ProviderResponse, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    if ports.clock.now() >= call_lease(began_at) {
        tracing::warn!(attempt = %attempt.id, "an authentication was held up for so long that it does not go on");
        return Ok(ProviderResponse { outcome: CallOutcome::Ambiguous, reference: None, token: None });
    }
    let of = provider_call::reference(&sale.payment, attempt);
    let said = provider.continue_authentication(of, attempt.provider_reference.clone(), step).await;
    stored_cards::keep(ports, sale, attempt, ProviderResponse { outcome: continued(said.outcome), ..said }).await
}

/// What a step comes to that the provider did not take: the card itself was submitted before, so that it is not as if
/// nothing had been, and the try counts. Each step is made once, and without it the provider goes no further: nothing is
/// taken any more, and another card may be tried.
fn continued(outcome: CallOutcome) -> CallOutcome {
    match outcome {
        CallOutcome::NotSubmitted(_) => CallOutcome::Declined(UNASKED),
        outcome => outcome,
    }
}

/// Makes what the provider said durable.
async fn record(
    ports: &Ports,
    sale: Sale,
    attempt: &Attempt,
    said: ProviderResponse,
    request: Option<&RequestId>,
) -> Result<ChallengedSale, Error> {
    let (sale, said) = (&sale, &said);
    transact(ports, |refused| async move {
        let before = window_passed(ports, current(ports, sale, refused).await?).await?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let doubted = provider_call::doubted(refused, attempt, said);
        let decided = decide(ports, &mut after, attempt, doubted.as_ref().unwrap_or(said), now).await?;
        let is_same = after == before && decided.attempts.is_empty();
        let commit = changed(&before, &after, commit_about(&after, request.cloned(), now));
        let commit = Box::new(Commit { attempts: decided.attempts, events: decided.events, ..commit });
        let shown = ChallengedSale::of(after, attempt, now);
        Ok(if is_same { Step::Return(shown) } else { Step::Commit(commit, shown) })
    })
    .await
}
