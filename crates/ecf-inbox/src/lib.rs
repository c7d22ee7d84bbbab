//! Services that every electronic taxpayer offers to the others by the tax authority's standard: seed and token,
//! reception of documents, and reception of commercial approvals. They are separate from the API: requests contain XML
//! instead of JSON, and a signature identifies the sender instead of an API key.
//!
//! Source: DGII, *Descripción técnica de facturación electrónica*, on the communication between issuer and receiver.

mod handlers;
mod inbox;
mod responses;
mod upload;

pub use inbox::{CallerLimiter, EcfInbox};

use actix_web::web::{self, Data, ServiceConfig};

/// Adds the services of all merchants, each below its environment and RNC, such as `/ecf/131880681/fe/…`. The rest of
/// the path is defined by the standard; other systems vary its case.
pub fn routes(config: &mut ServiceConfig, inbox: EcfInbox) {
    let place = "/{environment:testecf|certecf|ecf}/{rnc:[0-9]{9}|[0-9]{11}}/{service:[Ff][Ee]/.{1,60}}";
    config.service(web::resource(place).app_data(Data::new(inbox)).to(handlers::route));
}
