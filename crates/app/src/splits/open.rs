use domain::{
    credential::{CheckoutToken, Scope},
    rights::Right,
    sale::Sale,
    split::{Organizer, SplitDraft},
};

use super::{get::split_of, window::split_context};
use crate::{
    Caller, Error, IdempotentRequest, Ports, RenderSale, Response,
    command::{Decided, SaleName, decide_with, find},
    time::later,
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
    caller.may(Right::SplitsOpen)?;
    let organizer = match caller {
        Caller::Merchant { .. } => Organizer::Merchant,
        Caller::Holder(_) => Organizer::Payer,
    };
    let draft = &draft;
    let decision = |mut after: Sale| async move {
        let context = split_context(ports, &after).await?;
        let events = after.open_split(draft, organizer, &context, ports.clock.now())?;
        Ok(Decided { token: organizer_token(caller, &after), after, events })
    };
    decide_with(ports, caller, request, SaleName::Payment(payment), decision, render).await
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
    caller.may(Right::SplitsCommand)?;
    let named = SaleName::Payment(payment);
    // The account of a payment never changes, so the set-up may be read before the round.
    let context = split_context(ports, &find(ports, caller, named).await?).await?;
    let (draft, context) = (&draft, &context);
    let decision = |mut after: Sale| async move {
        split_of(&after)?;
        let events = after.replace_split(draft, context, ports.clock.now())?;
        Ok(Decided { token: organizer_token(caller, &after), after, events })
    };
    decide_with(ports, caller, request, named, decision, render).await
}

/// Returns the caller's token as the organizer's, which lasts until the end of the split.
pub(super) fn organizer_token(caller: &Caller, sale: &Sale) -> Option<CheckoutToken> {
    let Caller::Holder(token) = caller else { return None };
    let end = sale.payment.expires_at();
    let end = later(end, CheckoutToken::PAY_GRACE);
    Some(CheckoutToken { scope: Scope::Organizer, expires_at: token.expires_at.max(end), ..token.clone() })
}
