use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    CheckoutReference, InvalidRequest, PaymentId, Refusal,
    credential::{CheckoutToken, Scope, Session},
    payment::PaymentStatus,
    rights::Right,
    sale::Sale,
};
use ports::Commit;

use crate::{
    Caller, Error, Gone, IdempotentRequest, Ports, Rendered, Response,
    idempotency::KeyOutcome,
    refunds::with_refunds_for_payers,
    time::later,
    transact::{Step, transact},
};

/// Request for a token that opens one payment.
#[derive(Clone, Debug)]
pub struct CreateCheckoutToken {
    /// The payment's bearer handle, as sent.
    pub checkout_reference: String,
    /// Purpose of the token.
    pub purpose: TokenPurpose,
}

/// Purpose of a checkout token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenPurpose {
    /// To pay.
    Pay,
    /// To see the receipt.
    Receipt,
}

/// A new token. The text is returned once; only the digest is stored.
pub struct CreatedToken {
    /// The text.
    pub token: String,
    /// Scope of the token.
    pub scope: Scope,
    /// Payment of the token.
    pub payment: PaymentId,
    /// End of the token.
    pub expires_at: DateTime<Utc>,
}

/// How long a reference opens a payment that ended unpaid.
const UNPAID_LIFE: TimeDelta = TimeDelta::hours(24);
/// How long payers may see the receipt.
const RETENTION: TimeDelta = TimeDelta::days(90);

/// Makes a checkout token.
pub async fn create_checkout_token(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: CreateCheckoutToken,
    render: &(dyn Fn(&CreatedToken) -> Rendered + Send + Sync),
) -> Result<Response, Error> {
    caller.may(Right::TokensCreate)?;
    let (tenant, command) = (&caller.tenant(), &command);
    transact(ports, |_| async move {
        let lease = match request.acquire_key(ports, tenant, None).await? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(response)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let sale = match CheckoutReference::parse(&command.checkout_reference) {
            Some(reference) => ports.sales.find_by_reference(tenant, &reference).await?,
            None => None,
        };
        let sale = sale.ok_or_else(|| at_reference(InvalidRequest::CheckoutReferenceInvalid))?;
        caller.may_use(&sale.payment.facts.account)?;
        let now = ports.clock.now();
        let (scope, expires_at) = grant(ports, &sale, command.purpose, now).await?;

        let text = CheckoutToken::spell(tenant.mode, &ports.ids.secret());
        let token = new_token(ports, &sale, &text, (scope, expires_at, None));
        let rendered = render(&CreatedToken { token: text, scope, payment: token.payment.clone(), expires_at });
        let key = lease.complete(ports, &rendered)?;
        let about = Commit::about(&sale, Some(request.id.clone()), now);
        let commit = Commit { token: Some(token), key: Some(key), ..about };
        Ok(Step::Commit(Box::new(commit), lease.respond(rendered)))
    })
    .await
}

fn at_reference(code: InvalidRequest) -> Error {
    Refusal::at(code, "checkoutReference").into()
}

/// Returns the scope and the end of a token for this purpose.
async fn grant(
    ports: &Ports,
    sale: &Sale,
    purpose: TokenPurpose,
    now: DateTime<Utc>,
) -> Result<(Scope, DateTime<Utc>), Error> {
    let payment = &sale.payment;
    let is_unpaid =
        matches!(payment.status(), PaymentStatus::Declined | PaymentStatus::Canceled | PaymentStatus::Expired);
    let ended_unpaid = payment.ended_at().filter(|_| is_unpaid);
    if ended_unpaid.is_some_and(|at| now > later(at, UNPAID_LIFE)) {
        return Err(at_reference(InvalidRequest::CheckoutReferenceExpired));
    }
    match purpose {
        TokenPurpose::Pay if payment.is_terminal() || is_closed(sale, now) => {
            Err(at_reference(InvalidRequest::CheckoutReferenceExpired))
        }
        TokenPurpose::Pay => Ok(pay_scope(sale, now)),
        // The caller owns the payment, so an exact message discloses no secret.
        TokenPurpose::Receipt if !payment.is_terminal() => {
            let refusal = Refusal::at(InvalidRequest::CheckoutReferenceInvalid, "checkoutReference");
            Err(refusal.with_message("The payment has not ended yet: a receipt exists after its end.").into())
        }
        TokenPurpose::Receipt => receipt_scope(ports, sale, now).await,
    }
}

/// Returns a token with its scope, its end, and the session that it opens.
pub(super) fn new_token(
    ports: &Ports,
    sale: &Sale,
    text: &str,
    (scope, expires_at, session): (Scope, DateTime<Utc>, Option<Session>),
) -> CheckoutToken {
    let facts = &sale.payment.facts;
    CheckoutToken {
        digest: ports.vault.digest(text.as_bytes()),
        merchant: facts.merchant.clone(),
        mode: facts.mode,
        payment: facts.id.clone(),
        scope,
        expires_at,
        session,
    }
}

/// Returns the scope to pay, and its end. The end is after the window: a card may be in doubt for longer, and the payer
/// also sees the result.
pub(super) fn pay_scope(sale: &Sale, now: DateTime<Utc>) -> (Scope, DateTime<Utc>) {
    (Scope::Pay, later(sale.payment.expires_at().max(now), CheckoutToken::PAY_GRACE))
}

/// Returns the scope to see the receipt, and its end.
pub(super) async fn receipt_scope(
    ports: &Ports,
    sale: &Sale,
    now: DateTime<Utc>,
) -> Result<(Scope, DateTime<Utc>), Error> {
    check_retention(ports, sale, now).await?;
    Ok((Scope::Receipt, later(now, CheckoutToken::RECEIPT_LIFE)))
}

/// Checks that payers may still see the receipt: the retention period runs from the later of the success and the end of
/// the last refund. Refunds are read only after the period from the success.
///
/// # Errors
///
/// [`Gone::ReceiptRetentionElapsed`] after their retention period.
pub(crate) async fn check_retention(ports: &Ports, sale: &Sale, now: DateTime<Utc>) -> Result<(), Error> {
    let is_over = |since: DateTime<Utc>| now > later(since, RETENTION);
    match (sale.payment.status(), sale.payment.ended_at()) {
        (PaymentStatus::Succeeded, Some(at)) if is_over(at) => {
            let (_, refunds) = with_refunds_for_payers(ports, sale.clone()).await?;
            let ends = refunds.iter().filter_map(|record| record.refund.state().ended_at);
            if ends.max().is_some_and(|end| !is_over(end)) { Ok(()) } else { Err(Gone::ReceiptRetentionElapsed.into()) }
        }
        _ => Ok(()),
    }
}

/// Whether the window has ended. A card in flight or in doubt keeps the checkout open.
fn is_closed(sale: &Sale, now: DateTime<Utc>) -> bool {
    now >= sale.payment.expires_at() && !sale.payment.is_in_flight()
}
