use chrono::{DateTime, Utc};
use domain::{
    PaymentId, RefundId,
    refund::{
        Refund, RefundConditions, RefundDraft, RefundFacts, RefundOrigin, RefundPlan, RefundPurpose, RefundSettlement,
        RefundedSale,
    },
    rights::Right,
    text::{BoundedText, Prose},
};
use ports::Commit;

use super::{
    RenderRefund,
    call::{Call, RefundCalls},
    change::changed,
    facts::{conditions, load_sale_for, new_facts, note_id},
    rendered,
    resume::resume,
    run_calls::{PendingCommand, run_calls},
};
use crate::{
    Caller, Error, IdempotentRequest, NotFound, Ports, ProviderFailure, Response,
    commit::sale_version,
    idempotency::{KeyLease, KeyOutcome},
    transact::{Step, transact},
};

/// Request for a refund of a payment.
#[derive(Clone, Debug)]
pub struct CreateRefund {
    /// The payment.
    pub payment: PaymentId,
    /// What to return, and how.
    pub draft: RefundDraft,
    /// The retried refund, as sent.
    pub retried: Option<String>,
    /// Purpose of the refund.
    pub purpose: RefundPurpose,
    /// The merchant's own reference of the refund.
    pub refund_reference: Option<BoundedText<1, 128>>,
    /// The merchant's reference of a settlement outside.
    pub settlement_reference: Option<BoundedText<1, 64>>,
    /// The merchant's own notes.
    pub metadata: Option<Vec<(String, Prose)>>,
}

/// Returns money of a payment.
///
/// The first commit stores the refund and the attempts of the first legs; each outcome has a commit, and the last one
/// requests the credit note. A refund outside the acquirer is one commit. After a crash, due work looks the attempts up.
pub async fn create_refund(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: CreateRefund,
    render: RenderRefund<'_>,
) -> Result<Response, Error> {
    caller.may(Right::RefundsManage)?;
    let (tenant, payment) = (&caller.tenant(), &command.payment);
    let command = &command;
    let progress = transact(ports, |_| async move {
        // The sale is read before the key: an earlier request with the same key has then changed the key, or makes the
        // commit below fail.
        let before = load_sale_for(ports, caller, payment).await?;
        let lease = match request.acquire_key(ports, tenant, caller.payment()).await? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(RefundCreation::Completed(response))),
            KeyOutcome::Acquired(lease) => lease,
            KeyOutcome::Resume(lease, attempt) => {
                let response = resume(ports, tenant, lease, &attempt, render).await?;
                return Ok(Step::Return(RefundCreation::Completed(response)));
            }
        };
        let retried = check_references(ports, caller, &before, (&command.draft, command.retried.as_deref())).await?;
        let conditions = conditions(ports, &before.sale).await?;
        let now = ports.clock.now();
        let decided = decide(&before, command, retried.as_ref(), conditions, now);
        let plan = match request.conditional(Some(&sale_version(&before.sale)), decided) {
            Ok(plan) => plan,
            Err(refusal) => {
                // The refusal may be due to a concurrent request that has just released the key.
                let version = before.sale.payment.version();
                let is_moved = lease.is_reopened()
                    && load_sale_for(ports, caller, payment).await?.sale.payment.version() != version;
                return if is_moved { Ok(Step::Again) } else { Err(refusal) };
            }
        };
        let draft = NewRefund { command, retried, plan, conditions };
        begin(ports, before, draft, lease, render, now).await
    });
    let Calling { sale, refund_calls, first_calls, mut lease, now } = match progress.await? {
        RefundCreation::Completed(response) => return Ok(response),
        RefundCreation::Calling(calling) => *calling,
    };
    if let Some(first) = first_calls.first() {
        lease.locked(&first.attempt.id, now);
    }
    let command = PendingCommand::new(lease, render);
    let response = run_calls(ports, &refund_calls, sale, first_calls, Some(command)).await?;
    response.ok_or_else(|| Error::internal("the last outcome has no response"))
}

/// Progress of a request.
enum RefundCreation {
    Completed(Response),
    Calling(Box<Calling>),
}

/// The first attempts of the refund are durable, and no call is made yet.
struct Calling {
    sale: RefundedSale,
    refund_calls: RefundCalls,
    first_calls: Vec<Call>,
    lease: KeyLease,
    now: DateTime<Utc>,
}

/// A decided refund.
struct NewRefund<'a> {
    command: &'a CreateRefund,
    retried: Option<RefundId>,
    plan: RefundPlan,
    conditions: RefundConditions,
}

/// Checks that the parts and the retried refund exist. Returns the ID of the retried refund.
pub(super) async fn check_references(
    ports: &Ports,
    caller: &Caller,
    sale: &RefundedSale,
    (draft, retried): (&RefundDraft, Option<&str>),
) -> Result<Option<RefundId>, Error> {
    if let Some(parts) = &draft.parts {
        let split = sale.sale.payment.split().ok_or_else(|| NotFound::PaymentSplitNotFound.at("parts"))?;
        for (place, part) in parts.iter().enumerate() {
            let missing = || NotFound::PaymentPartNotFound.at(format!("parts.{place}.ordinal"));
            split.part(part.ordinal).ok_or_else(missing)?;
        }
    }
    let Some(text) = retried else { return Ok(None) };
    let missing = || NotFound::RefundNotFound.at("retriedRefundId");
    let id = RefundId::parse(text).ok_or_else(missing)?;
    if sale.refund(&id).is_none() {
        let other = ports.refunds.find(&caller.tenant(), &id).await?;
        other.filter(|other| caller.may_use(&other.refund.facts.account).is_ok()).ok_or_else(missing)?;
    }
    Ok(Some(id))
}

fn decide(
    sale: &RefundedSale,
    command: &CreateRefund,
    retried: Option<&RefundId>,
    conditions: RefundConditions,
    now: DateTime<Utc>,
) -> Result<RefundPlan, Error> {
    let context = sale.context(None, retried, conditions, now)?;
    Ok(RefundPlan::decide(&command.draft, &context)?)
}

/// Returns the first commit: the attempts of the first calls, or the whole refund outside the acquirer.
async fn begin(
    ports: &Ports,
    before: RefundedSale,
    NewRefund { command, retried, plan, conditions }: NewRefund<'_>,
    lease: KeyLease,
    render: RenderRefund<'_>,
    now: DateTime<Utc>,
) -> Result<Step<RefundCreation>, Error> {
    let is_outside = plan.settlement == RefundSettlement::Outside;
    // A call that would not be made needs no attempt.
    if !is_outside && !ports.breakers.admits(&before.sale.payment.facts.account, now) {
        return Err(Error::Provider(ProviderFailure::ProviderUnavailable));
    }
    let facts = RefundFacts {
        settlement: plan.settlement,
        settlement_reference: command.settlement_reference.clone(),
        refund_reference: command.refund_reference.clone(),
        retried,
        metadata: command.metadata.clone(),
        ..new_facts(ports, &before.sale, RefundOrigin::Merchant, now)
    };
    let id = facts.id.clone();
    let begun = Refund::begin(facts, plan, command.purpose.clone(), |ordinal| before.card_of(ordinal));
    let mut after = before.clone();
    let events = after.begin(begun, note_id(ports), now)?;
    let request = Some(lease.request_id().clone());
    if is_outside {
        let rendered = rendered(&after, &id, render)?;
        let key = Some(lease.complete(ports, &rendered)?);
        let commit = Commit { events, key, ..changed(&before, &after, &id, request, now) };
        return Ok(Step::Commit(Box::new(commit), RefundCreation::Completed(lease.respond(rendered))));
    }
    let refund_calls = RefundCalls::load_with(ports, &after.sale, id.clone(), conditions).await?;
    let first_calls = refund_calls.begin_calls(ports, &mut after, now);
    let attempts: Vec<_> = first_calls.iter().map(|call| call.attempt.clone()).collect();
    let first = attempts.first().ok_or_else(|| Error::internal("no leg of a refund can be called"))?;
    let key = Some(lease.lock(&first.id, now));
    let commit = Commit { attempts, events, key, ..changed(&before, &after, &id, request, now) };
    let calling = Calling { sale: after, refund_calls, first_calls, lease, now };
    Ok(Step::Commit(Box::new(commit), RefundCreation::Calling(Box::new(calling))))
}
