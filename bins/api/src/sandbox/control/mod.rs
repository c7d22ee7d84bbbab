//! Control routes: the clock, faults and records of the simulators. Only for callers on
//! this machine alone.

mod answer;
mod challenges;
mod clock;
mod faults;
mod lists;
mod rates;
mod returns;
mod state;

use std::net::SocketAddr;

use actix_web::{
    dev::RequestHead,
    guard,
    http::header::ORIGIN,
    web::{self, Data, ServiceConfig},
};

pub(super) use self::state::{Control, PATH};

/// Adds the control routes and the pages of the issuer, which a local page may open. For other callers they
/// do not exist.
pub(super) fn routes(config: &mut ServiceConfig, control: Control) {
    let issuer = web::scope("/sandbox/issuer")
        .guard(guard::fn_guard(|context| is_here(context.head())))
        .route("/{page}", web::post().to(challenges::issuer));
    let control = web::scope(PATH)
        .app_data(Data::new(control))
        .guard(guard::fn_guard(|context| is_from_here(context.head())))
        .route("/clock/advance", web::post().to(clock::advance))
        .route("/authority/documents", web::get().to(lists::documents))
        .route("/mails", web::get().to(lists::mails))
        .route("/acquirer/transactions", web::get().to(lists::transactions))
        .route("/acquirer/returns", web::post().to(returns::refund))
        .route("/challenges/{paymentId}", web::post().to(challenges::finish))
        .route("/exchange-rates", web::post().to(rates::set))
        .route("/faults", web::post().to(faults::inject));
    config.service(issuer).service(control);
}

/// Whether the request comes from a program on this machine, and not from a web page of another host.
fn is_from_here(head: &RequestHead) -> bool {
    let origins = head.headers().get_all(ORIGIN);
    is_here(head) && origins.into_iter().all(|it| it.to_str().is_ok_and(is_local))
}

/// Whether the request comes from this machine.
fn is_here(head: &RequestHead) -> bool {
    head.peer_addr.is_some_and(|it: SocketAddr| it.ip().to_canonical().is_loopback())
}

/// Whether an origin, as in `http://localhost:8080`, is this machine.
fn is_local(origin: &str) -> bool {
    let authority = origin.strip_prefix("http://").unwrap_or_default();
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    matches!(host, "127.0.0.1" | "localhost" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_page_of_this_machine_may_control_it() {
        assert!(is_local("http://127.0.0.1:8080"));
        assert!(is_local("http://localhost"));
        assert!(is_local("http://[::1]:80"));

        assert!(!is_local("http://127.0.0.1.example:8080"));
        assert!(!is_local("https://elsewhere.example"));
        assert!(!is_local("null"));
    }
}
