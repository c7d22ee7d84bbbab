use actix_web::HttpResponse;
use app::merchants::get_merchant_profile;
use wire::{MerchantProfileResponse, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant()?;
    call.is_only_path()?;
    let profile = get_merchant_profile(&call.state().ports, &caller).await?;
    Ok(answer::read(Some(answer::version(profile.version)), to_bytes(&MerchantProfileResponse::from(&profile))))
}
