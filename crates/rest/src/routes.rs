//! Routes of the API, the documentation and the operators.

use std::future::ready;

use actix_web::{
    App, Error, HttpRequest, HttpResponse, Resource, Route,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    http::Method,
    middleware::from_fn,
    web::{self, Data, Payload, ServiceConfig},
};

use crate::{
    docs, middleware,
    openapi::openapi,
    operations::{self, operation::Operation},
    operators,
    paths::{HEALTH, METRICS, READINESS},
    problem::Problem,
    state::State,
};

/// Returns an application with these routes and the middleware of every request.
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
    let shared = state.clone();
    App::new()
        .app_data(state)
        .configure(routes)
        .default_service(web::to(|| ready(Err::<HttpResponse, _>(Problem::NoEndpoint))))
        .wrap(from_fn(move |request, next| middleware::serve(shared.clone(), request, next)))
}

/// Registers health, readiness and metrics.
pub(crate) fn for_operators(config: &mut ServiceConfig) {
    config
        .service(resource(HEALTH, vec![(Method::GET, web::to(operators::alive))]))
        .service(resource(READINESS, vec![(Method::GET, web::to(operators::ready))]))
        .service(resource(METRICS, vec![(Method::GET, web::to(operators::metrics))]));
}

/// Registers the API, the documentation and the routes for operators.
pub fn routes(config: &mut ServiceConfig) {
    for (path, operations) in operations_by_path() {
        let routes = operations.into_iter().map(|operation| {
            let serve = |http: HttpRequest, body: Payload| operation.serve(http, body);
            (operation.input.method.clone(), web::to(serve))
        });
        config.service(resource(path, routes.collect()));
    }
    for_operators(config);
    config
        .service(resource("/docs", vec![(Method::GET, web::to(docs::interface))]))
        .service(resource("/docs/errors", vec![(Method::GET, web::to(docs::errors))]))
        .service(resource("/docs/reference.css", vec![(Method::GET, web::to(docs::style))]))
        .service(resource("/openapi.json", vec![(Method::GET, web::to(document))]));
}

fn operations_by_path() -> Vec<(&'static str, Vec<&'static Operation>)> {
    let mut paths: Vec<(&str, Vec<&Operation>)> = Vec::new();
    for (_, operation) in operations::all() {
        match paths.iter_mut().find(|(path, _)| *path == operation.path) {
            Some((_, operations)) => operations.push(operation),
            None => paths.push((operation.path, vec![operation])),
        }
    }
    paths
}

async fn document() -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(openapi())
}

/// Returns the resource at a path. Other methods are refused with the allowed ones.
fn resource(path: &str, routes: Vec<(Method, Route)>) -> Resource {
    // The middleware serves HEAD as GET.
    let methods = |method: &Method| if method == Method::GET { "GET, HEAD".to_owned() } else { method.to_string() };
    let allowed = routes.iter().map(|(method, _)| methods(method)).collect::<Vec<_>>().join(", ");
    let resource = web::resource(path)
        .default_service(web::to(move || ready(Err::<HttpResponse, _>(Problem::MethodNotAllowed(allowed.clone())))));
    routes.into_iter().fold(resource, |resource, (method, route)| resource.route(route.method(method)))
}
