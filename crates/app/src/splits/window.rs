use chrono::TimeDelta;
use domain::{
    Split,
    sale::Sale,
    split::{SplitContext, SplitWindow},
};
use ports::CardProvider;

use crate::{Error, Ports, commit::tenant_of, payments::provider_call};

/// How long a split is open.
const WINDOW: TimeDelta = TimeDelta::hours(2);

/// Returns the set-up of the merchant and the account that decides a split of `sale`.
pub(super) async fn split_context(ports: &Ports, sale: &Sale) -> Result<SplitContext, Error> {
    let setup = ports.merchants.setup(&tenant_of(sale)).await?;
    let window = window(ports, sale)?;
    Ok(SplitContext {
        is_split_enabled: setup.profile.is_some_and(|it| it.is_split_enabled),
        can_authorize: window.is_some(),
        window: window.unwrap_or_default(),
        limits: ports.limits,
    })
}

/// Whether `sale` may be split now, which also depends on the set-up of the merchant and the account.
pub async fn may_split(ports: &Ports, sale: &Sale) -> Result<bool, Error> {
    if sale.payment.split().is_some() || !sale.payment.is_editable(ports.clock.now()) {
        return Ok(false);
    }
    let context = split_context(ports, sale).await?;
    Ok(sale.payment.check_splittable(&context, ports.clock.now()).is_ok())
}

/// Whether a split may be open for longer than the provider reserves funds, so that cards are stored.
pub(crate) fn may_outlast(provider: &dyn CardProvider) -> bool {
    let Some(validity) = provider.hold_validity() else { return false };
    SplitWindow::new(WINDOW, validity).is_ok_and(|it| Split::may_outlast(it, validity))
}

/// Returns the window of a split on the account of `sale`; `None` if that account cannot reserve funds for as long, or
/// at all.
pub(super) fn window(ports: &Ports, sale: &Sale) -> Result<Option<SplitWindow>, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    Ok(provider.hold_validity().and_then(|validity| SplitWindow::new(WINDOW, validity).ok()))
}
