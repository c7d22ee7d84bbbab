use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    CreateCheckoutToken, CreatedToken, IdempotentRequest, Instrument, SubmitCard, Tenant, TokenPurpose, Wallet,
    create_checkout_token, set_voluntary_tip, submit_card,
};
use domain::{
    credential::{self, Scope},
    rights::Right,
    sale::Sale,
};
use wire::{CheckoutTokenResponse, submit_card::SubmittedMethod, to_bytes};

use crate::{
    command::Command,
    operation::{Operation, Success},
    problem::Problem,
    request::{ApiRequest, Effect, RequestContext},
};

pub(super) const OPERATIONS: &[Operation] = &[SUBMIT_CARD, SET_VOLUNTARY_TIP, CREATE_TOKEN];

const SUBMIT_CARD: Operation = Operation {
    id: "submitCard",
    method: Method::POST,
    path: "/v1/payments/{paymentId}/card-submissions",
    right: Right::PaymentsPay,
    effect: Effect::Change,
    summary: "Pay by card",
    description: "Charges a card for the payment, or reserves the amount of one part if the payment is split. A \
                  declined card is not an error: read `status` and `decline`. If the provider's response is lost, \
                  `status` is `verifying` and Cobro asks the provider for the result. A server that calls this \
                  operation handles card numbers and is in the scope of PCI DSS; the page at `nextAction.url` keeps it \
                  out.",
    parameters: &[],
    body: Some("SubmitCard"),
    success: Success::json(200, "CheckoutPayment", &["checkout-payment"]).with_etag(),
    refusals: &[
        "merchant_account_not_ready",
        "payment_not_found",
        "payment_split_not_found",
        "payment_part_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "decline_not_retryable",
        "checkout_window_closed",
        "fiscal_buyer_required",
        "payment_split_complete",
        "payment_split_part_required",
        "payment_part_not_payable",
        "provider_unavailable",
        "provider_rejected_request",
    ],
    handler: |request, body| Box::pin(submit(request, body)),
};

async fn submit(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::submit_card::parse).await?;
    let instrument = match content.method {
        SubmittedMethod::Card(card) => card.into(),
        SubmittedMethod::Wallet(wallet) => {
            Instrument::Wallet(Wallet { kind: wallet.kind.as_str().to_owned(), payload: wallet.payload })
        }
    };
    let context = request.context();
    let command = SubmitCard {
        payment: request.segment("paymentId").to_owned(),
        instrument,
        part_ordinal: content.part_ordinal,
        expected_amount: content.expected_amount,
        browser: request.browser(),
        challenges_at: context.urls().challenge_base(),
    };
    let payment = context.caller.payment_named(&command.payment)?;
    context.state.limits.admit_submission(&payment, command.part_ordinal)?;
    let submit = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, now| context.payment(sale, now);
        submit_card(context.ports(), &context.caller, &idempotent, command, &render).await
    };
    request.run(idempotent, submit).await
}

const SET_VOLUNTARY_TIP: Operation = Operation {
    id: "setVoluntaryTip",
    method: Method::PUT,
    path: "/v1/payments/{paymentId}/voluntary-tip",
    right: Right::PaymentsPay,
    effect: Effect::Change,
    summary: "Set the voluntary tip",
    description: "Sets or, with 0, removes the tip of the payer: at most as much as `amount`. It is charged with the \
                  payment and is not part of the fiscal document.",
    parameters: &[],
    body: Some("SetVoluntaryTip"),
    success: Success::json(200, "CheckoutPayment", &["checkout-payment"]).with_etag(),
    refusals: &[
        "amount_above_maximum",
        "payment_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "checkout_window_closed",
        "payment_not_editable",
    ],
    handler: |request, body| Box::pin(set_tip(request, body)),
};

async fn set_tip(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content: tip, .. } = request.command(body, wire::set_voluntary_tip::parse).await?;
    let payment = request.segment("paymentId").to_owned();
    let set_tip = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, now| context.payment(sale, now);
        set_voluntary_tip(context.ports(), &context.caller, &idempotent, &payment, tip, &render).await
    };
    request.run(idempotent, set_tip).await
}

const CREATE_TOKEN: Operation = Operation {
    id: "createCheckoutToken",
    method: Method::POST,
    path: "/v1/checkout_tokens",
    right: Right::TokensCreate,
    effect: Effect::Create,
    summary: "Create a checkout token",
    description: "Creates a bearer token for one payment, for a checkout (`pay`) or a receipt (`receipt`) that the \
                  merchant builds. The response is the only one that contains it.",
    parameters: &[],
    body: Some("CreateCheckoutToken"),
    success: Success::json(201, "CheckoutToken", &["checkout-token"]),
    refusals: &[
        "checkout_reference_invalid",
        "checkout_reference_expired",
        "merchant_account_not_owned",
        "receipt_retention_elapsed",
    ],
    handler: |request, body| Box::pin(create_token(request, body)),
};

async fn create_token(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::create_checkout_token::parse).await?;
    let purpose = match content.purpose {
        Scope::Receipt => TokenPurpose::Receipt,
        Scope::Pay | Scope::Organizer => TokenPurpose::Pay,
    };
    let command = CreateCheckoutToken { checkout_reference: content.checkout_reference, purpose };
    let create = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let Tenant { merchant, mode } = context.caller.tenant();
        let render = |made: &CreatedToken| {
            let digest = context.ports().vault.digest(made.token.as_bytes());
            let CreatedToken { scope, payment, expires_at, .. } = made;
            let (payment, merchant) = (payment.clone(), merchant.clone());
            let (scope, expires_at, session) = (*scope, *expires_at, None);
            let token = credential::CheckoutToken { digest, merchant, mode, payment, scope, expires_at, session };
            context.json(to_bytes(&CheckoutTokenResponse::new(&token, &made.token)))
        };
        create_checkout_token(context.ports(), &context.caller, &idempotent, command, &render).await
    };
    request.run(idempotent, create).await
}
