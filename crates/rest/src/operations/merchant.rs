use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    IdempotentRequest, Rendered, get_merchant_account,
    merchants::{
        CreateAccount, SetCredentials, create_merchant_account, get_merchant_profile, put_merchant_profile,
        set_account_credentials,
    },
};
use domain::{
    account::{Account, Readiness},
    merchant::Profile,
    rights::Right,
};
use wire::{MerchantAccountResponse, MerchantProfileResponse};

use super::operation::{Input, Operation, Success};
use crate::{
    command::Command,
    problem::Problem,
    request::{ApiRequest, Effect, RequestContext},
    response,
};

pub(super) const OPERATIONS: &[Operation] = &[GET_PROFILE, PUT_PROFILE, CREATE_ACCOUNT, GET_ACCOUNT, SET_CREDENTIALS];

const GET_PROFILE: Operation = Operation {
    id: "getMerchantProfile",
    path: "/v1/merchant_profile",
    right: Right::ProfileRead,
    input: Input::PATH,
    summary: "Retrieve the merchant profile",
    description: "Returns the name, address and checkout settings of the merchant in the mode of the key. \
                  `missingFields` lists what is still needed before a sale.",
    success: Success::json(200, "MerchantProfile", &["merchant-profile", "merchant-profile-blank"]).with_etag(),
    refusals: &[&["merchant_profile_not_found"]],
    handler: |request, _| Box::pin(get_profile(request)),
};

async fn get_profile(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let profile = get_merchant_profile(context.ports(), &context.caller).await?;
    Ok(response::json(render_profile(context, &profile)))
}

fn render_profile(context: &RequestContext, profile: &Profile) -> Rendered {
    context.versioned(profile.version, &MerchantProfileResponse::from(profile))
}

const PUT_PROFILE: Operation = Operation {
    id: "putMerchantProfile",
    path: "/v1/merchant_profile",
    right: Right::ProfileManage,
    input: Input::change(&Method::PUT, "PutMerchantProfile"),
    summary: "Replace the merchant profile",
    description: "Replaces the whole profile: a field that is left out is emptied. Open sales keep the profile that \
                  they were created with.",
    success: Success::json(200, "MerchantProfile", &["merchant-profile"]).with_etag(),
    refusals: &[],
    handler: |request, body| Box::pin(put_profile(request, body)),
};

async fn put_profile(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::put_merchant_profile::parse).await?;
    let put = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let make = |before: Profile| content.apply(before);
        let render = |profile: &Profile| render_profile(context, profile);
        put_merchant_profile(context.ports(), &context.caller, idempotent, &make, &render).await
    };
    request.run(idempotent, put).await
}

const CREATE_ACCOUNT: Operation = Operation {
    id: "createMerchantAccount",
    path: "/v1/merchant_accounts",
    right: Right::AccountsCreate,
    input: Input::create("CreateMerchantAccount"),
    summary: "Add an account at a provider",
    description: "Adds an account of the merchant at a payment provider. It can sell once it has credentials and \
                  `readiness.status` is not `not_ready`.",
    success: Success::json(201, "MerchantAccount", &["merchant-account-not-ready"]),
    refusals: &[&["provider_not_available", "credential_storage_unavailable", "provider_rejected_request"]],
    handler: |request, body| Box::pin(create_account(request, body)),
};

async fn create_account(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::create_merchant_account::parse).await?;
    let provider = content.provider.as_str().to_owned();
    let command = CreateAccount { provider, venue_reference: content.venue_reference };
    let create = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |account: &Account, readiness: &Readiness| render_account(context, account, readiness);
        create_merchant_account(context.ports(), &context.caller, idempotent, command, &render).await
    };
    request.run(idempotent, create).await
}

/// Renders an account. Readiness changes with time, so there is no entity tag.
fn render_account(context: &RequestContext, account: &Account, readiness: &Readiness) -> Rendered {
    context.json(&MerchantAccountResponse::new(account, readiness))
}

const GET_ACCOUNT: Operation = Operation {
    id: "getMerchantAccount",
    path: "/v1/merchant_accounts/{merchantAccountId}",
    right: Right::AccountsRead,
    input: Input::PATH,
    summary: "Retrieve an account",
    description: "Returns the account and its readiness: `blockers` lists what prevents a sale, `checks` every check \
                  with its time.",
    success: Success::json(200, "MerchantAccount", &["merchant-account-ready", "merchant-account-not-ready"]),
    refusals: &[&["merchant_account_not_owned", "merchant_account_not_found"]],
    handler: |request, _| Box::pin(get_account(request)),
};

async fn get_account(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let id = request.segment("merchantAccountId");
    let (account, readiness) = get_merchant_account(context.ports(), &context.caller, id).await?;
    Ok(response::json(render_account(context, &account, &readiness)))
}

const SET_CREDENTIALS: Operation = Operation {
    id: "setAccountCredentials",
    path: "/v1/merchant_accounts/{merchantAccountId}/credentials",
    right: Right::CredentialsSet,
    input: Input { effect: Effect::Create, ..Input::change(&Method::PUT, "SetAccountCredentials") },
    summary: "Replace the credentials of an account",
    description: "Replaces all credentials of the account. They are stored sealed, and no response shows them.",
    success: Success::json(200, "MerchantAccount", &["merchant-account-ready"]),
    refusals: &[&[
        "provider_not_available",
        "merchant_account_not_owned",
        "merchant_account_not_found",
        "merchant_account_provider_mismatch",
        "credential_storage_unavailable",
        "provider_rejected_request",
    ]],
    handler: |request, body| Box::pin(set_credentials(request, body)),
};

async fn set_credentials(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::set_account_credentials::parse).await?;
    let account = request.segment("merchantAccountId").to_owned();
    let provider = content.provider.as_str().to_owned();
    let command = SetCredentials { account, provider, credentials: content.credentials };
    let set = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |account: &Account, readiness: &Readiness| render_account(context, account, readiness);
        set_account_credentials(context.ports(), &context.caller, idempotent, command, &render).await
    };
    request.run(idempotent, set).await
}
