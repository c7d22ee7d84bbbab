//! The hosted checkout: pages that a payer sees, rendered on the server. Whoever has the link of a payment exchanges it for
//! a cookie, and acts as the holder of a checkout token from then on. Everything works without a script.

mod amount;
mod assets;
mod challenge;
mod choices;
mod command;
mod entry;
mod expiry;
mod extras;
mod form;
mod language;
mod note;
mod page;
mod panel;
mod payment;
mod place;
mod qr;
mod receipts;
mod respond;
mod session;
mod shared;
mod split;
mod summary;
mod texts;

use actix_web::web::{self, Data, ServiceConfig};

use command::{reading, seen, sent};
pub use place::{Checkout, DrainDeadline, PublicBaseUrl, RequestGuard};

/// Every page.
pub fn routes(config: &mut ServiceConfig, checkout: Checkout) {
    let page = |path: &str| web::resource(path).default_service(web::to(respond::only_get));
    let post = |path: &str| web::resource(path).default_service(web::to(respond::only_post));
    let form = |path: &str| web::resource(path).default_service(web::to(respond::only_sent));
    config
        .app_data(Data::new(checkout))
        .service(page("/p/{payment}").route(reading().to(payment::show)))
        .service(post("/p/{link}/session").route(web::post().to(entry::start)))
        .service(page("/p/{payment}/state").route(seen(payment::state)))
        .service(form("/p/{payment}/card").route(sent(payment::pay)))
        .service(form("/p/{payment}/tip").route(sent(choices::tip)))
        .service(form("/p/{payment}/document").route(sent(choices::document)))
        .service(form("/p/{payment}/email").route(sent(receipts::email)))
        .service(form("/p/{payment}/split").route(sent(split::cut)))
        .service(form("/p/{payment}/split/{command}").route(sent(split::command)))
        .service(page("/p/{payment}/share/{ordinal}").route(seen(split::hand)))
        .service(page("/r/{reference}").route(reading().to(entry::receipt)))
        .service(post("/r/{reference}/session").route(web::post().to(entry::start_receipt)))
        .service(page("/p/{payment}/document.xml").route(seen(receipts::xml)))
        .service(page("/p/{payment}/document.pdf").route(seen(receipts::pdf)))
        .service(page("/p/{payment}/contingency.pdf").route(seen(receipts::contingency)))
        .service(page("/c/{link}").route(reading().to(challenge::show)))
        .service(post("/c/{link}/look").route(web::post().to(challenge::looked)))
        .service(post("/c/{link}/go-on").route(web::post().to(challenge::go_on)))
        .service(post("/c/{link}/answer").route(web::post().to(challenge::answered)));
}
