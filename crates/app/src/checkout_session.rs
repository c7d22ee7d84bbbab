use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    CheckoutReference, RequestId, Symbols,
    credential::{CheckoutToken, Scope},
    payment::PaymentStatus,
    sale::Sale,
};
use ports::{Commit, Committed, Tenant};

use crate::{
    Caller, Error, Gone, Ports, authenticate, create_checkout_token::RETENTION, outcome::commit_about, transact::commit,
};

/// What a link opens. Nothing is written yet: whoever comes may have a session that is as good.
pub struct Opening {
    /// The sale.
    pub sale: Sale,
    /// What whoever has the link may do.
    pub scope: Scope,
    expires_at: DateTime<Utc>,
}

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

/// What the secret in the address of a checkout page opens; `None` if it is nothing.
///
/// While the payment can be paid that is to pay; afterwards it is to see the receipt.
///
/// # Errors
///
/// [`Gone::ReceiptRetentionElapsed`] once payers may no longer see the receipt.
pub async fn find_by_link(ports: &Ports, link: &str) -> Result<Option<Opening>, Error> {
    let Some(link) = Symbols::parse(link) else { return Ok(None) };
    let Some(sale) = ports.sales.find_by_link(&link).await? else { return Ok(None) };
    let (scope, expires_at) = grant(&sale, ports.clock.now())?;
    Ok(Some(Opening { sale, scope, expires_at }))
}

/// What the reference of a receipt opens; `None` if it is nothing, as it is before the payment has ended.
///
/// # Errors
///
/// As [`find_by_link`].
pub async fn find_by_receipt(ports: &Ports, reference: &str) -> Result<Option<Opening>, Error> {
    let Some(reference) = CheckoutReference::parse(reference) else { return Ok(None) };
    let sale = ports.sales.find_by_receipt(&reference).await?.filter(|it| it.payment.is_terminal());
    let Some(sale) = sale else { return Ok(None) };
    let (scope, expires_at) = receipt(&sale, ports.clock.now())?;
    Ok(Some(Opening { sale, scope, expires_at }))
}

/// Exchanges what a link opens for a token.
pub async fn open_checkout_session(
    ports: &Ports,
    opening: Opening,
    request: Option<&RequestId>,
) -> Result<CheckoutSession, Error> {
    let Opening { sale, scope, expires_at } = opening;
    let text = CheckoutToken::spell(sale.payment.facts.mode, &ports.ids.secret());
    session(ports, text, sale, (scope, expires_at), request).await
}

/// A session to see the receipt with, for whoever has `shown` the token of one that is not, after the end; `None` if this
/// one does, or nothing has ended yet.
///
/// Whoever goes on showing the old token gets the same session for an hour, and nothing is written for it again.
///
/// # Errors
///
/// As [`find_by_link`].
pub async fn renew_checkout_session(
    ports: &Ports,
    (shown, caller): (&str, &Caller),
    sale: &Sale,
    request: Option<&RequestId>,
) -> Result<Option<CheckoutSession>, Error> {
    let is_receipt = matches!(caller, Caller::Holder(token) if token.scope == Scope::Receipt);
    let now = ports.clock.now();
    if is_receipt || !has_ended(sale, now) {
        return Ok(None);
    }
    let granted = receipt(sale, now)?;
    let text = successor(ports, shown, sale, now)?;
    if let Some(known) = known(ports, &text, sale).await? {
        return Ok(Some(known));
    }
    match session(ports, text.clone(), sale.clone(), granted, request).await {
        // Whoever came with the same at the same moment was faster.
        Err(error) => known(ports, &text, sale).await?.ok_or(error).map(Some),
        made => made.map(Some),
    }
}

/// The token that follows `shown` within this hour. Only who has the one can tell the other, and we.
fn successor(ports: &Ports, shown: &str, sale: &Sale, now: DateTime<Utc>) -> Result<String, Error> {
    let hour = now.timestamp().div_euclid(CheckoutToken::RECEIPT_LIFE.num_seconds());
    let mac = ports.vault.mac("checkout-renewal", format!("{hour} {shown}").as_bytes());
    let secret = Symbols::spell(&mac).ok_or_else(|| Error::internal("a mac is too short for a secret"))?;
    Ok(CheckoutToken::spell(sale.payment.facts.mode, &secret))
}

/// The session to see the receipt of the sale with that the token opens, if there is one.
async fn known(ports: &Ports, text: &str, sale: &Sale) -> Result<Option<CheckoutSession>, Error> {
    let token = match authenticate(ports, text).await {
        Ok(Caller::Holder(token)) => token,
        Ok(_) | Err(Error::Authentication(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    if token.scope != Scope::Receipt || token.payment != sale.payment.facts.id {
        return Ok(None);
    }
    let expires_at = token.expires_at;
    Ok(Some(CheckoutSession { token: text.to_owned(), caller: Caller::Holder(token), sale: sale.clone(), expires_at }))
}

/// What a form has to bring along so that it counts as one of the session's own pages: whoever lures a browser to us from
/// elsewhere does not know it.
pub fn form_key(ports: &Ports, token: &str) -> String {
    let mac = ports.vault.mac("checkout-form", token.as_bytes());
    mac.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

async fn session(
    ports: &Ports,
    text: String,
    sale: Sale,
    (scope, expires_at): (Scope, DateTime<Utc>),
    request: Option<&RequestId>,
) -> Result<CheckoutSession, Error> {
    let tenant = Tenant { merchant: sale.payment.facts.merchant.clone(), mode: sale.payment.facts.mode };
    let token = CheckoutToken {
        digest: ports.vault.digest(text.as_bytes()),
        merchant: tenant.merchant,
        mode: tenant.mode,
        payment: sale.payment.facts.id.clone(),
        scope,
        expires_at,
    };
    let about = commit_about(&sale, request.cloned(), ports.clock.now());
    match commit(ports, Commit { token: Some(token.clone()), ..about }).await? {
        Committed::Done => Ok(CheckoutSession { token: text, caller: Caller::Holder(token), sale, expires_at }),
        Committed::Stale | Committed::KeyTaken => Err(Error::internal("a new token was refused")),
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
