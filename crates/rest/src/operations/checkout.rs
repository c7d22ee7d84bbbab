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
use wire::{CheckoutTokenResponse, submit_card::SubmittedMethod};

use super::{
    operation::{Input, Operation, Success},
    refusals,
};
use crate::{
    command::Command,
    problem::Problem,
    request::{ApiRequest, RequestContext},
};

pub(super) const OPERATIONS: &[Operation] = &[SUBMIT_CARD, SET_VOLUNTARY_TIP, CREATE_TOKEN];

const SUBMIT_CARD: Operation = Operation {
    id: "submitCard",
    path: "/v1/payments/{paymentId}/card-submissions",
    right: Right::PaymentsPay,
    input: Input::change(&Method::POST, "SubmitCard"),
    summary: "Pay by card",
    description: "Charges a card for the payment, or reserves the amount of one part if the payment is split. A \
                  declined card is not an error: read `status` and `decline`. If the provider's response is lost, \
                  `status` is `verifying` and Cobro asks the provider for the result. A server that calls this \
                  operation handles card numbers and is in the scope of PCI DSS; the page at `nextAction.url` keeps it \
                  out.",
    success: Success::json(200, "CheckoutPayment", &["checkout-payment"]).with_etag(),
    refusals: &[
        refusals::IN_PROGRESS,
        refusals::PROVIDER,
        &[
            "merchant_account_not_ready",
            "payment_not_found",
            "payment_split_not_found",
            "payment_part_not_found",
            "decline_not_retryable",
            "checkout_window_closed",
            "fiscal_buyer_required",
            "payment_split_complete",
            "payment_split_part_required",
            "payment_part_not_payable",
        ],
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
        challenge_base_url: context.urls().challenge_base(),
    };
    let payment = context.caller.payment_named(&command.payment)?;
    context.state.limits.admit_submission(&payment, command.part_ordinal)?;
    let submit = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |sale: &Sale, now| context.payment(sale, now);
        submit_card(context.ports(), &context.caller, idempotent, command, &render).await
    };
    request.run(idempotent, submit).await
}

const SET_VOLUNTARY_TIP: Operation = Operation {
    id: "setVoluntaryTip",
    path: "/v1/payments/{paymentId}/voluntary-tip",
    right: Right::PaymentsPay,
    input: Input::change(&Method::PUT, "SetVoluntaryTip"),
    summary: "Set the voluntary tip",
    description: "Sets or, with 0, removes the tip of the payer: at most as much as `amount`. It is charged with the \
                  payment and is not part of the fiscal document.",
    success: Success::json(200, "CheckoutPayment", &["checkout-payment"]).with_etag(),
    refusals: &[
        refusals::IN_PROGRESS,
        &["amount_above_maximum", "payment_not_found", "checkout_window_closed", "payment_not_editable"],
    ],
    handler: |request, body| Box::pin(request.change_payment(body, wire::set_voluntary_tip::parse, set_voluntary_tip)),
};

const CREATE_TOKEN: Operation = Operation {
    id: "createCheckoutToken",
    path: "/v1/checkout_tokens",
    right: Right::TokensCreate,
    input: Input::create("CreateCheckoutToken"),
    summary: "Create a checkout token",
    description: "Creates a bearer token for one payment, for a checkout (`pay`) or a receipt (`receipt`) that the \
                  merchant builds. The response is the only one that contains it.",
    success: Success::json(201, "CheckoutToken", &["checkout-token"]),
    refusals: &[&[
        "checkout_reference_invalid",
        "checkout_reference_expired",
        "merchant_account_not_owned",
        "receipt_retention_elapsed",
    ]],
    handler: |request, body| Box::pin(create_token(request, body)),
};

async fn create_token(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::create_checkout_token::parse).await?;
    let purpose = match content.purpose {
        Scope::Receipt => TokenPurpose::Receipt,
        Scope::Pay | Scope::Organizer => TokenPurpose::Pay,
    };
    let command = CreateCheckoutToken { checkout_reference: content.checkout_reference, purpose };
    let create = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let Tenant { merchant, mode } = context.caller.tenant();
        let render = |made: &CreatedToken| {
            let digest = context.ports().vault.digest(made.token.as_bytes());
            let CreatedToken { scope, payment, expires_at, .. } = made;
            let (payment, merchant) = (payment.clone(), merchant.clone());
            let (scope, expires_at, session) = (*scope, *expires_at, None);
            let token = credential::CheckoutToken { digest, merchant, mode, payment, scope, expires_at, session };
            context.json(&CheckoutTokenResponse::new(&token, &made.token))
        };
        create_checkout_token(context.ports(), &context.caller, idempotent, command, &render).await
    };
    request.run(idempotent, create).await
}
