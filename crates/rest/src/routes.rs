//! The table of paths.

use std::future::ready;

use actix_web::{
    App, Error, HttpResponse, Resource, Route,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    http::Method,
    middleware::from_fn,
    web::{self, Data, ServiceConfig},
};

use crate::{
    State, exchange,
    handlers::{
        cancel_payment, capture_split, choose_fiscal_document, correct_fiscal_document, create_checkout_token,
        create_merchant_account, create_payment, create_webhook_endpoint, delete_split, delete_webhook_endpoint, docs,
        get_contingency_representation, get_event, get_fiscal_document, get_merchant_account, get_merchant_profile,
        get_part, get_payment, get_printed_representation, get_signed_document, get_split, get_webhook_endpoint,
        health, list_events, list_payments, list_revisions, list_webhook_deliveries, list_webhook_endpoints, metrics,
        open_split, openapi, put_merchant_profile, release_split, renew_split, replace_split, replay_webhooks,
        request_delivery, rotate_webhook_secret, set_account_credentials, set_voluntary_tip, submit_card,
        test_webhook_endpoint, update_webhook_endpoint,
    },
    problem::Problem,
};

const HEALTH: &str = "/healthz";
const READINESS: &str = "/readyz";
const METRICS: &str = "/metrics";

/// Returns an application with these routes: every request to it goes through `exchange`.
pub fn app(
    state: Data<State>,
    routes: impl FnOnce(&mut ServiceConfig),
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = Error,
        InitError = (),
        Future: 'static,
    >,
> {
    let guarded = state.clone();
    App::new()
        .app_data(state)
        .configure(routes)
        .default_service(web::to(|| ready(Err::<HttpResponse, _>(Problem::NoEndpoint))))
        .wrap(from_fn(move |request, next| exchange::exchange(guarded.clone(), request, next)))
}

/// Routes for operators: health, readiness and metrics.
pub(crate) fn for_operators(config: &mut ServiceConfig) {
    config
        .service(at(HEALTH, [(Method::GET, web::to(health::alive))]))
        .service(at(READINESS, [(Method::GET, web::to(health::ready))]))
        .service(at(METRICS, [(Method::GET, web::to(metrics::handler))]));
}

/// Whether the path is one of those by which a process is looked after.
pub(crate) fn is_for_operators(path: &str) -> bool {
    [HEALTH, READINESS, METRICS].contains(&path)
}

/// Routes of the interface, of its documentation and for operators.
// The names in braces are part of what an idempotency key is bound to: they are the interface's,
// and stay.
pub fn routes(config: &mut ServiceConfig) {
    payments(config);
    splits(config);
    documents(config);
    merchants(config);
    webhooks(config);
    for_operators(config);
    config
        .service(at("/docs", [(Method::GET, web::to(docs::handler))]))
        .service(at("/docs/errors", [(Method::GET, web::to(docs::errors))]))
        .service(at("/docs/reference.css", [(Method::GET, web::to(docs::style))]))
        .service(at("/openapi.json", [(Method::GET, web::to(openapi::handler))]));
}

fn payments(config: &mut ServiceConfig) {
    config
        .service(at(
            "/v1/payments",
            [(Method::GET, web::to(list_payments::handler)), (Method::POST, web::to(create_payment::handler))],
        ))
        .service(at("/v1/payments/{paymentId}", [(Method::GET, web::to(get_payment::handler))]))
        .service(at(
            "/v1/payments/{paymentId}/fiscal-document-choice",
            [(Method::PUT, web::to(choose_fiscal_document::handler))],
        ))
        .service(at("/v1/payments/{paymentId}/voluntary-tip", [(Method::PUT, web::to(set_voluntary_tip::handler))]))
        .service(at("/v1/payments/{paymentId}/card-submissions", [(Method::POST, web::to(submit_card::handler))]))
        .service(at("/v1/payments/{paymentId}/cancellations", [(Method::POST, web::to(cancel_payment::handler))]))
        .service(at("/v1/checkout_tokens", [(Method::POST, web::to(create_checkout_token::handler))]))
        .service(at("/v1/events", [(Method::GET, web::to(list_events::handler))]))
        .service(at("/v1/events/{eventId}", [(Method::GET, web::to(get_event::handler))]));
}

fn splits(config: &mut ServiceConfig) {
    config
        .service(at(
            "/v1/payments/{paymentId}/split",
            [
                (Method::GET, web::to(get_split::handler)),
                (Method::POST, web::to(open_split::handler)),
                (Method::PUT, web::to(replace_split::handler)),
                (Method::DELETE, web::to(delete_split::handler)),
            ],
        ))
        .service(at("/v1/payments/{paymentId}/split/parts/{ordinal}", [(Method::GET, web::to(get_part::handler))]))
        .service(at("/v1/payments/{paymentId}/split/captures", [(Method::POST, web::to(capture_split::handler))]))
        .service(at("/v1/payments/{paymentId}/split/releases", [(Method::POST, web::to(release_split::handler))]))
        .service(at("/v1/payments/{paymentId}/split/renewals", [(Method::POST, web::to(renew_split::handler))]));
}

fn documents(config: &mut ServiceConfig) {
    config
        .service(at("/v1/fiscal_documents/{id}", [(Method::GET, web::to(get_fiscal_document::handler))]))
        .service(at(
            "/v1/fiscal_documents/{id}/corrections",
            [(Method::POST, web::to(correct_fiscal_document::handler))],
        ))
        .service(at("/v1/fiscal_documents/{id}/revisions", [(Method::GET, web::to(list_revisions::handler))]))
        .service(at(
            "/v1/fiscal_documents/{id}/printed-representation",
            [(Method::GET, web::to(get_printed_representation::handler))],
        ))
        .service(at(
            "/v1/fiscal_documents/{id}/signed-document",
            [(Method::GET, web::to(get_signed_document::handler))],
        ))
        .service(at(
            "/v1/fiscal_documents/{id}/contingency-representation",
            [(Method::GET, web::to(get_contingency_representation::handler))],
        ))
        .service(at("/v1/fiscal_documents/{id}/deliveries", [(Method::POST, web::to(request_delivery::handler))]));
}

fn merchants(config: &mut ServiceConfig) {
    config
        .service(at(
            "/v1/merchant_profile",
            [
                (Method::GET, web::to(get_merchant_profile::handler)),
                (Method::PUT, web::to(put_merchant_profile::handler)),
            ],
        ))
        .service(at("/v1/merchant_accounts", [(Method::POST, web::to(create_merchant_account::handler))]))
        .service(at("/v1/merchant_accounts/{id}", [(Method::GET, web::to(get_merchant_account::handler))]))
        .service(at(
            "/v1/merchant_accounts/{id}/credentials",
            [(Method::PUT, web::to(set_account_credentials::handler))],
        ));
}

fn webhooks(config: &mut ServiceConfig) {
    config
        .service(at(
            "/v1/webhook_endpoints",
            [
                (Method::GET, web::to(list_webhook_endpoints::handler)),
                (Method::POST, web::to(create_webhook_endpoint::handler)),
            ],
        ))
        .service(at(
            "/v1/webhook_endpoints/{id}",
            [
                (Method::GET, web::to(get_webhook_endpoint::handler)),
                (Method::PATCH, web::to(update_webhook_endpoint::handler)),
                (Method::DELETE, web::to(delete_webhook_endpoint::handler)),
            ],
        ))
        .service(at(
            "/v1/webhook_endpoints/{id}/secret-rotations",
            [(Method::POST, web::to(rotate_webhook_secret::handler))],
        ))
        .service(at("/v1/webhook_endpoints/{id}/tests", [(Method::POST, web::to(test_webhook_endpoint::handler))]))
        .service(at(
            "/v1/webhook_endpoints/{id}/deliveries",
            [(Method::GET, web::to(list_webhook_deliveries::handler))],
        ))
        .service(at("/v1/webhook_endpoints/{id}/replays", [(Method::POST, web::to(replay_webhooks::handler))]));
}

/// The path with its methods. Any other method is told which there are.
fn at<const N: usize>(path: &str, routes: [(Method, Route); N]) -> Resource {
    // `exchange` serves HEAD as GET.
    let methods = |method: &Method| if method == Method::GET { "GET, HEAD".to_owned() } else { method.to_string() };
    let allowed = routes.iter().map(|(method, _)| methods(method)).collect::<Vec<_>>().join(", ");
    let resource = web::resource(path)
        .default_service(web::to(move || ready(Err::<HttpResponse, _>(Problem::OtherMethod(allowed.clone())))));
    routes.into_iter().fold(resource, |resource, (method, route)| resource.route(route.method(method)))
}
