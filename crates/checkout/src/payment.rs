use std::error::Error;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use app::{Ports, get_payment_by_link};

use crate::{
    page::{Notice, PaymentPage},
    respond::respond,
};

/// One answer to every link that opens nothing, malformed or unknown.
pub(crate) const NO_PAYMENT: Notice =
    Notice { title: "No encontramos este pago", text: "Revise el enlace o pídalo de nuevo al comercio." };
pub(crate) const OUT_OF_ORDER: Notice =
    Notice { title: "Algo salió mal", text: "Su pago no ha cambiado. Intente de nuevo en unos minutos." };

/// The page of one payment. The link is all that it takes to see it.
pub(crate) async fn handler(ports: Data<Ports>, link: Path<String>) -> HttpResponse {
    match get_payment_by_link(&ports, &link).await {
        Ok(Some(sale)) => respond(StatusCode::OK, &PaymentPage::of(&sale)),
        Ok(None) => respond(StatusCode::NOT_FOUND, &NO_PAYMENT),
        Err(error) => {
            tracing::error!(error = &error as &dyn Error, "a page was not served");
            respond(StatusCode::INTERNAL_SERVER_ERROR, &OUT_OF_ORDER)
        }
    }
}
