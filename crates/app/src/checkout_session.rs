use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    CheckoutReference, RequestId, Symbols,
    credential::{CheckoutToken, Scope},
    payment::PaymentStatus,
    sale::Sale,
};
use ports::{Commit, CommitError, Tenant};

use crate::{Caller, Error, Gone, Ports, create_checkout_token::RETENTION, outcome::commit_about};

/// What a browser shows from now on to be let in to one payment. The text is said once, and kept only as a digest.
pub struct CheckoutSession {
    /// The token's text.
    pub token: String,
    /// Its holder.
    pub caller: Caller,
    /// What it opens.
    pub sale: Sale,
    /// From when on it no longer opens anything.
    pub expires_at: DateTime<Utc>,
}

/// Exchanges the secret in the address of a checkout page for a token; `None` if the link opens nothing.
///
/// While the payment can be paid the token is one to pay with; afterwards it is one to see the receipt with.
///
/// # Errors
///
/// [`Gone::ReceiptRetentionElapsed`] once payers may no longer see the receipt.
pub async fn open_checkout_session(
    ports: &Ports,
    link: &str,
    request: Option<&RequestId>,
) -> Result<Option<CheckoutSession>, Error> {
    let Some(link) = Symbols::parse(link) else { return Ok(None) };
    let Some(sale) = ports.sales.find_by_link(&link).await? else { return Ok(None) };
    let granted = grant(&sale, ports.clock.now())?;
    session(ports, sale, granted, request).await.map(Some)
}

/// Exchanges the reference of a receipt for a token to see it with; `None` if the reference opens nothing, as it does
/// before the payment has ended.
///
/// # Errors
///
/// As [`open_checkout_session`].
pub async fn open_receipt_session(
    ports: &Ports,
    reference: &str,
    request: Option<&RequestId>,
) -> Result<Option<CheckoutSession>, Error> {
    let Some(reference) = CheckoutReference::parse(reference) else { return Ok(None) };
    let sale = ports.sales.find_by_receipt(&reference).await?.filter(|it| it.payment.is_terminal());
    let Some(sale) = sale else { return Ok(None) };
    let granted = receipt(&sale, ports.clock.now())?;
    session(ports, sale, granted, request).await.map(Some)
}

/// A session to see the receipt with, for whoever has paid in a session that is not; `None` if this one does.
///
/// # Errors
///
/// As [`open_checkout_session`].
pub async fn renew_checkout_session(
    ports: &Ports,
    caller: &Caller,
    sale: &Sale,
    request: Option<&RequestId>,
) -> Result<Option<CheckoutSession>, Error> {
    let is_receipt = matches!(caller, Caller::Holder(token) if token.scope == Scope::Receipt);
    let now = ports.clock.now();
    if is_receipt || !has_ended(sale, now) {
        return Ok(None);
    }
    session(ports, sale.clone(), receipt(sale, now)?, request).await.map(Some)
}

/// What a form has to bring along so that it counts as one of the session's own pages: whoever lures a browser to us from
/// elsewhere does not know it.
pub fn form_key(ports: &Ports, token: &str) -> String {
    let mac = ports.vault.mac("checkout-form", token.as_bytes());
    mac.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

async fn session(
    ports: &Ports,
    sale: Sale,
    (scope, expires_at): (Scope, DateTime<Utc>),
    request: Option<&RequestId>,
) -> Result<CheckoutSession, Error> {
    let tenant = Tenant { merchant: sale.payment.facts.merchant.clone(), mode: sale.payment.facts.mode };
    let text = CheckoutToken::spell(tenant.mode, &ports.ids.secret());
    let token = CheckoutToken {
        digest: ports.vault.digest(text.as_bytes()),
        merchant: tenant.merchant,
        mode: tenant.mode,
        payment: sale.payment.facts.id.clone(),
        scope,
        expires_at,
    };
    let about = commit_about(&sale, request.cloned(), ports.clock.now());
    match ports.sales.commit(Commit { token: Some(token.clone()), ..about }).await {
        Ok(()) => Ok(CheckoutSession { token: text, caller: Caller::Holder(token), sale, expires_at }),
        Err(CommitError::Unavailable(error)) => Err(error.into()),
        Err(error @ (CommitError::Stale | CommitError::KeyTaken)) => Err(Error::internal(error)),
    }
}

/// What whoever has the link may do, and until when.
fn grant(sale: &Sale, now: DateTime<Utc>) -> Result<(Scope, DateTime<Utc>), Error> {
    if has_ended(sale, now) {
        return receipt(sale, now);
    }
    // A card may be in doubt for longer than the window: whoever waits for it sees the end, too.
    Ok((Scope::Pay, after(sale.payment.expires_at().max(now), CheckoutToken::PAY_GRACE)))
}

/// What is left to whoever comes after the end.
fn receipt(sale: &Sale, now: DateTime<Utc>) -> Result<(Scope, DateTime<Utc>), Error> {
    match (sale.payment.status(), sale.payment.ended_at()) {
        (PaymentStatus::Succeeded, Some(at)) if now > after(at, RETENTION) => Err(Gone::ReceiptRetentionElapsed.into()),
        _ => Ok((Scope::Receipt, after(now, CheckoutToken::RECEIPT_LIFE))),
    }
}

/// Whether nobody will pay any more. A split that expired may be opened anew, so its payers stay what they are.
fn has_ended(sale: &Sale, now: DateTime<Utc>) -> bool {
    sale.payment.is_terminal() && !sale.payment.split().is_some_and(|it| it.is_renewable(now))
}

fn after(time: DateTime<Utc>, life: TimeDelta) -> DateTime<Utc> {
    time.checked_add_signed(life).unwrap_or(time)
}
