//! The hosted checkout: pages that a payer sees, rendered on the server, without a script.

mod amount;
mod page;
mod payment;
mod respond;

use actix_web::web::{self, Data, ServiceConfig};
use app::Ports;

/// Every page.
pub fn routes(config: &mut ServiceConfig, ports: Ports) {
    let payment =
        web::resource("/p/{link}").route(web::get().to(payment::handler)).default_service(web::to(respond::only_get));
    config.app_data(Data::new(ports)).service(payment);
}
