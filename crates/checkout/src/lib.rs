//! The hosted checkout: pages that a payer sees, rendered on the server. Only those that bring a browser to an issuer run a
//! script, to send a form that can be sent by hand, too.

mod amount;
mod challenge;
mod page;
mod payment;
mod respond;

use actix_web::web::{self, Data, ServiceConfig};
use app::Ports;

/// Where the pages of challenges are, as payers and issuers reach them.
#[derive(Clone, Debug)]
struct Challenges(String);

/// Every page. Those that bring a payer's browser to an issuer have addresses that begin with `challenges_at`, as in
/// `https://pay.example.do/c/`.
pub fn routes(config: &mut ServiceConfig, ports: Ports, challenges_at: String) {
    let page = |path: &str| web::resource(path).default_service(web::to(respond::only_get));
    let post = |path: &str| web::resource(path).default_service(web::to(respond::only_post));
    config
        .app_data(Data::new(ports))
        .app_data(Data::new(Challenges(challenges_at)))
        .service(page("/p/{link}").route(web::get().to(payment::handler)))
        .service(page("/c/{link}").route(web::get().to(challenge::show)))
        .service(post("/c/{link}/look").route(web::post().to(challenge::looked)))
        .service(post("/c/{link}/go-on").route(web::post().to(challenge::go_on)))
        .service(post("/c/{link}/answer").route(web::post().to(challenge::answered)));
}
