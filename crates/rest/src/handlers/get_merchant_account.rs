use actix_web::HttpResponse;
use app::get_merchant_account;
use wire::{MerchantAccountResponse, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant()?;
    call.is_only_path()?;
    let (account, readiness) = get_merchant_account(&call.state().ports, &caller, call.segment("id")).await?;
    // Its readiness is a matter of the moment, so it has no version.
    Ok(answer::read(None, to_bytes(&MerchantAccountResponse::new(&account, &readiness))))
}
