use actix_web::HttpResponse;

/// The interface, as one document for programs.
pub(crate) async fn handler() -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(wire::openapi())
}
