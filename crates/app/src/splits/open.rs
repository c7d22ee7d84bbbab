use domain::{
    credential::{CheckoutToken, Scope},
    sale::Sale,
    split::{Organizer, SplitDraft},
};

use super::{get::split_of, window::split_setting};
use crate::{
    Caller, Error, IdempotentRequest, Ports, RenderSale, Response,
    command::{SaleName, decide_with_token, find, save},
    commit::sale_version,
    idempotency::KeyOutcome,
    time::later,
    transact::{Step, transact},
};

/// Splits a payment into shares. The payer becomes the organizer: the same commit raises the scope of the token.
pub async fn open_split(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    draft: SplitDraft,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.merchant_or(&[Scope::Pay, Scope::Organizer])?;
    let draft = &draft;
    transact(ports, |_| async move {
        let before = find(ports, caller, SaleName::Payment(payment)).await?;
        let lease = match request.acquire_key(ports, &caller.tenant(), caller.payment()).await? {
            KeyOutcome::Replay(answer) => return Ok(Step::Return(answer)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let setting = split_setting(ports, &before).await?;
        let mut after = before.clone();
        let organizer = match caller {
            Caller::Merchant { .. } => Organizer::Merchant,
            Caller::Holder(_) => Organizer::Payer,
        };
        let decided = after.open_split(draft, organizer, &setting, ports.clock.now());
        let events = request.conditional(Some(&sale_version(&before)), decided.map_err(Error::from))?;
        let token = organizer_token(caller, &after);
        save(ports, &lease, &before, &after, (events, token), render)
    })
    .await
}

/// Replaces the shares of a split, while no share was touched.
pub async fn replace_split(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    draft: SplitDraft,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.merchant_or(&[Scope::Organizer])?;
    let named = SaleName::Payment(payment);
    // The account of a payment never changes, so the set-up may be read before the round.
    let setting = split_setting(ports, &find(ports, caller, named).await?).await?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.replace_split(&draft, &setting, now)?)
    };
    let raise = |after: &Sale| organizer_token(caller, after);
    decide_with_token(ports, caller, request, named, (&decision, &raise), render).await
}

/// Returns the caller's token as the organizer's, which lasts until the end of the split.
pub(super) fn organizer_token(caller: &Caller, sale: &Sale) -> Option<CheckoutToken> {
    let Caller::Holder(token) = caller else { return None };
    let end = sale.payment.expires_at();
    let end = later(end, CheckoutToken::PAY_GRACE);
    Some(CheckoutToken { scope: Scope::Organizer, expires_at: token.expires_at.max(end), ..token.clone() })
}
