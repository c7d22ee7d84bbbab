use domain::{merchant::Profile, rights::Right};
use ports::{Change, SetupChange};

use super::setup_change::change_setup;
use crate::{Caller, Error, IdempotentRequest, NotFound, Ports, Rendered, Response};

/// How the merchant introduces itself in the caller's mode.
pub async fn get_merchant_profile(ports: &Ports, caller: &Caller) -> Result<Profile, Error> {
    caller.may(Right::ProfileRead)?;
    let setup = ports.merchants.setup(&caller.tenant()).await?;
    setup.profile.ok_or(NotFound::MerchantProfileNotFound.into())
}

/// Replaces the merchant's profile; `make` turns the present one, if there is one, into the next.
pub async fn put_merchant_profile(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    make: &(dyn Fn(Profile) -> Profile + Send + Sync),
    render: &(dyn Fn(&Profile) -> Rendered + Send + Sync),
) -> Result<Response, Error> {
    caller.may(Right::ProfileManage)?;
    let tenant = caller.tenant();
    let decision = |setup: &ports::Setup, _, now| {
        let before = setup.profile.clone();
        let based_on = before.as_ref().map(|it| it.version);
        request.conditional(based_on.map(|it| it.to_string()).as_deref(), Ok(()))?;
        let blank = Profile::blank(&tenant.merchant, tenant.mode, now);
        let version = based_on.unwrap_or_default().saturating_add(1);
        let to = Profile { version, updated_at: now, ..make(before.unwrap_or(blank)) };
        let rendered = render(&to);
        Ok((SetupChange::Profile(Box::new(Change { to, based_on, lease_until: None })), rendered))
    };
    change_setup(ports, caller, request, &decision).await
}
