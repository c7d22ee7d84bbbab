use chrono::{DateTime, Utc};
use domain::{
    CheckoutReference, RequestId, Symbols,
    credential::{CheckoutToken, Scope, Session},
    sale::Sale,
};
use ports::{Commit, Committed};

use super::token::{new_token, pay_scope, receipt_scope};
use crate::{Caller, Error, Ports, access::authenticate, commit::tenant_of, transact::commit_sale};

/// Access that a checkout link or a receipt reference grants. No session is stored yet.
pub struct CheckoutAccess {
    /// The sale.
    pub sale: Sale,
    /// Scope of a session with this access.
    pub scope: Scope,
    expires_at: DateTime<Utc>,
}

/// Session of a browser for one payment. The token is returned once; only the digest is stored.
pub struct CheckoutSession {
    /// The token's text.
    pub token: String,
    /// The holder of the token.
    pub caller: Caller,
    /// The sale of the session.
    pub sale: Sale,
    /// End of the session.
    pub expires_at: DateTime<Utc>,
}

/// Returns the access of a checkout link; `None` if there is no such link.
///
/// The scope is to pay while the payment can be paid, and to see the receipt afterwards.
///
/// # Errors
///
/// [`ReceiptRetentionElapsed`](crate::Gone::ReceiptRetentionElapsed) after the payers' retention period.
pub async fn find_by_link(ports: &Ports, link: &str) -> Result<Option<CheckoutAccess>, Error> {
    let Some(link) = Symbols::parse(link) else { return Ok(None) };
    let Some(sale) = ports.sales.find_by_link(&link).await? else { return Ok(None) };
    let (scope, expires_at) = grant(ports, &sale, ports.clock.now()).await?;
    Ok(Some(CheckoutAccess { sale, scope, expires_at }))
}

/// Returns the access of a receipt reference; `None` if there is no such receipt, as before the end of the payment.
///
/// # Errors
///
/// As [`find_by_link`].
pub async fn find_by_receipt(ports: &Ports, reference: &str) -> Result<Option<CheckoutAccess>, Error> {
    let Some(reference) = CheckoutReference::parse(reference) else { return Ok(None) };
    let sale = ports.sales.find_by_receipt(&reference).await?.filter(|it| it.payment.is_terminal());
    let Some(sale) = sale else { return Ok(None) };
    let (scope, expires_at) = receipt_scope(ports, &sale, ports.clock.now()).await?;
    Ok(Some(CheckoutAccess { sale, scope, expires_at }))
}

/// Opens a session for a link. Returns `None` if the payment has the maximum number of sessions. Concurrent calls may
/// exceed the maximum, each by one.
pub async fn open_checkout_session(
    ports: &Ports,
    opening: &CheckoutAccess,
    request: Option<&RequestId>,
) -> Result<Option<CheckoutSession>, Error> {
    if live_sessions(ports, &opening.sale).await? >= CheckoutToken::MOST_SESSIONS {
        return Ok(None);
    }
    begin(ports, opening, request).await.map(Some)
}

/// Starts a session at the payer's request. If the payment has the maximum number of sessions, the new one replaces the
/// idle session whose last request is the oldest.
pub async fn start_checkout_session(
    ports: &Ports,
    opening: &CheckoutAccess,
    request: Option<&RequestId>,
) -> Result<CheckoutSession, Error> {
    let live = live_sessions(ports, &opening.sale).await?;
    if let Some(above @ 1..) = live.saturating_add(1).checked_sub(CheckoutToken::MOST_SESSIONS) {
        let facts = &opening.sale.payment.facts;
        ports.credentials.end_idle_sessions(&tenant_of(&opening.sale), &facts.id, above).await?;
    }
    begin(ports, opening, request).await
}

/// Stores the time of the last request of an idle session. [`note_action`] marks a session as active.
pub async fn note_visit(ports: &Ports, caller: &Caller) -> Result<(), Error> {
    note(ports, caller, |token| token.with_visit(ports.clock.now())).await
}

/// Stores that a session has sent a form: from then on no other session replaces that session.
pub async fn note_action(ports: &Ports, caller: &Caller) -> Result<(), Error> {
    note(ports, caller, CheckoutToken::activated).await
}

async fn note(
    ports: &Ports,
    caller: &Caller,
    change: impl Fn(&CheckoutToken) -> Option<CheckoutToken>,
) -> Result<(), Error> {
    let Caller::Holder(token) = caller else { return Ok(()) };
    match change(token).filter(|_| ports.work_time().is_some()) {
        Some(changed) => Ok(ports.credentials.note_session(&changed).await?),
        None => Ok(()),
    }
}

/// Returns the number of sessions of the payment. Fails while the clock is wrong, so that no session starts.
async fn live_sessions(ports: &Ports, sale: &Sale) -> Result<u64, Error> {
    ports.clock_guard.check()?;
    Ok(ports.credentials.live_sessions(&tenant_of(sale), &sale.payment.facts.id, ports.clock.now()).await?)
}

async fn begin(ports: &Ports, opening: &CheckoutAccess, request: Option<&RequestId>) -> Result<CheckoutSession, Error> {
    let CheckoutAccess { sale, scope, expires_at } = opening;
    let text = CheckoutToken::spell(sale.payment.facts.mode, &ports.ids.secret());
    let idle = Session::Idle { seen_at: ports.clock.now() };
    session(ports, text, sale.clone(), (*scope, *expires_at, Some(idle)), request).await
}

/// Returns a receipt session in exchange for the token `shown`, after the end of the payment. Returns `None` before
/// the end, and for a token that already opens the receipt.
///
/// The same token returns the same session for an hour, without another write.
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
    let Some(now) = ports.work_time().filter(|now| !is_receipt && has_ended(sale, *now)) else { return Ok(None) };
    let (scope, expires_at) = receipt_scope(ports, sale, now).await?;
    let before = match caller {
        Caller::Holder(CheckoutToken { session: Some(Session::Idle { .. }), .. }) => {
            Some(Session::Idle { seen_at: now })
        }
        Caller::Holder(token) => token.session,
        Caller::Merchant { .. } => None,
    };
    let text = successor(ports, shown, sale, now)?;
    if let Some(known) = known(ports, &text, sale).await? {
        return Ok(Some(known));
    }
    match session(ports, text.clone(), sale.clone(), (scope, expires_at, before), request).await {
        // A concurrent request with the same token was faster.
        Err(error) => known(ports, &text, sale).await?.ok_or(error).map(Some),
        made => made.map(Some),
    }
}

/// Returns the token that follows `shown` within this hour. The derivation needs `shown` and our key.
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

/// Returns the anti-forgery key of a session's forms: a page of another site does not know this key.
pub fn form_key(ports: &Ports, token: &str) -> String {
    let mac = ports.vault.mac("checkout-form", token.as_bytes());
    mac.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

async fn session(
    ports: &Ports,
    text: String,
    sale: Sale,
    (scope, expires_at, session): (Scope, DateTime<Utc>, Option<Session>),
    request: Option<&RequestId>,
) -> Result<CheckoutSession, Error> {
    let token = new_token(ports, &sale, &text, (scope, expires_at, session));
    let about = Commit::about(&sale, request.cloned(), ports.clock.now());
    match commit_sale(ports, Commit { token: Some(token.clone()), ..about }).await? {
        Committed::Done => Ok(CheckoutSession { token: text, caller: Caller::Holder(token), sale, expires_at }),
        _ => Err(Error::internal("a new token was refused")),
    }
}

/// Returns the scope and the end of a session by checkout link.
async fn grant(ports: &Ports, sale: &Sale, now: DateTime<Utc>) -> Result<(Scope, DateTime<Utc>), Error> {
    if has_ended(sale, now) {
        return receipt_scope(ports, sale, now).await;
    }
    Ok(pay_scope(sale, now))
}

/// Whether the payment can no longer be paid. An expired split may be renewed, so the payers keep their scope.
fn has_ended(sale: &Sale, now: DateTime<Utc>) -> bool {
    sale.payment.is_terminal() && !sale.payment.split().is_some_and(|it| it.is_renewable(now))
}
