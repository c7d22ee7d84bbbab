use domain::{
    credential::{CheckoutToken, Scope},
    rights::Right,
    sale::Sale,
    split::{Organizer, SplitDraft},
};

use super::{get::split_of, window::split_setting};
use crate::{
    Caller, Error, IdempotentRequest, Ports, RenderSale, Response,
    command::{Named, decide_raising, find, save},
    commit::sale_version,
    idempotency::KeyOutcome,
    time::later,
    transact::{Step, transact},
};

/// Splits a payment into shares. A payer who does so commands the split from then on: the token's
/// scope is raised in the same commit.
pub async fn open_split(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    draft: SplitDraft,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::SplitsOpen)?;
    let draft = &draft;
    transact(ports, |_| async move {
        let before = find(ports, caller, Named::Payment(payment)).await?;
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
        let token = raised(caller, &after);
        save(ports, &lease, &before, &after, (events, token), render)
    })
    .await
}

/// Cuts a split anew, while no share was touched.
pub async fn replace_split(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    draft: SplitDraft,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::SplitsCommand)?;
    let named = Named::Payment(payment);
    // Which account the payment is bound to never changes, so its set-up may be read beforehand.
    let setting = split_setting(ports, &find(ports, caller, named).await?).await?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.replace_split(&draft, &setting, now)?)
    };
    let raise = |after: &Sale| raised(caller, after);
    decide_raising(ports, caller, request, named, (&decision, &raise), render).await
}

/// The caller's token as it is once its holder commands the split: it lasts as long as that is open.
pub(super) fn raised(caller: &Caller, sale: &Sale) -> Option<CheckoutToken> {
    let Caller::Holder(token) = caller else { return None };
    let end = sale.payment.expires_at();
    let end = later(end, CheckoutToken::PAY_GRACE);
    Some(CheckoutToken { scope: Scope::Organizer, expires_at: token.expires_at.max(end), ..token.clone() })
}
