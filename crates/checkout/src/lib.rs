//! Hosted checkout: pages rendered on the server, for the payer. A payer exchanges the link of a payment for a cookie, and
//! then has the permissions of a checkout token. Every page works without a script.

mod amount;
mod assets;
mod base_url;
mod challenge;
mod choices;
mod config;
mod cookies;
mod entry;
mod expiry;
mod extras;
mod form;
mod frame;
mod language;
mod method_not_allowed;
mod note;
mod page;
mod page_request;
mod panel;
mod paths;
mod payment;
mod phrases;
mod qr;
mod receipts;
mod refunds;
mod request;
mod respond;
mod session;
mod shares;
mod split;
mod summary;
mod texts;
mod view;

use actix_web::web::{self, Data, ServiceConfig};

pub use base_url::PublicBaseUrl;
pub use config::{Checkout, DrainDeadline, RequestGuard};
use method_not_allowed::{form_only, only_get, only_post};
use page_request::{form_route, get_or_head, page_route};
use receipts::FileFormat;

/// Registers the routes of every page.
pub fn routes(config: &mut ServiceConfig, checkout: Checkout) {
    let page = |path: &str| web::resource(path).default_service(web::to(only_get));
    let post = |path: &str| web::resource(path).default_service(web::to(only_post));
    let form = |path: &str| web::resource(path).default_service(web::to(form_only));
    config
        .app_data(Data::new(checkout))
        .service(page("/p/{payment}").route(get_or_head().to(payment::show)))
        .service(post("/p/{link}/session").route(web::post().to(entry::start)))
        .service(page("/p/{payment}/state").route(page_route(payment::state)))
        .service(form("/p/{payment}/card").route(form_route(payment::pay)))
        .service(form("/p/{payment}/tip").route(form_route(choices::set_tip)))
        .service(form("/p/{payment}/document").route(form_route(choices::choose_document)))
        .service(form("/p/{payment}/email").route(form_route(receipts::request_email)))
        .service(form("/p/{payment}/split").route(form_route(split::change)))
        .service(form("/p/{payment}/split/{command}").route(form_route(split::command)))
        .service(page("/p/{payment}/share/{ordinal}").route(page_route(split::share_link)))
        .service(page("/r/{reference}").route(get_or_head().to(entry::receipt)))
        .service(post("/r/{reference}/session").route(web::post().to(entry::start_receipt)))
        .service(
            page("/p/{payment}/document.xml")
                .route(page_route(|request| receipts::document_file(request, FileFormat::Xml))),
        )
        .service(
            page("/p/{payment}/document.pdf")
                .route(page_route(|request| receipts::document_file(request, FileFormat::Pdf))),
        )
        .service(page("/p/{payment}/contingency.pdf").route(page_route(receipts::contingency)))
        .service(
            page("/p/{payment}/notes/{note}/document.xml")
                .route(page_route(|request| receipts::note_file(request, FileFormat::Xml))),
        )
        .service(
            page("/p/{payment}/notes/{note}/document.pdf")
                .route(page_route(|request| receipts::note_file(request, FileFormat::Pdf))),
        )
        .service(page("/c/{link}").route(get_or_head().to(challenge::show)))
        .service(post("/c/{link}/look").route(web::post().to(challenge::method_notification)))
        .service(post("/c/{link}/go-on").route(web::post().to(challenge::continue_after_method)))
        .service(post("/c/{link}/answer").route(web::post().to(challenge::challenge_result)));
}
