use actix_web::{HttpRequest, HttpResponse, web::Data};

use super::{Control, answer};

/// Documents that the authority received.
pub(super) async fn documents(control: Data<Control>, request: HttpRequest) -> HttpResponse {
    match control.world.authority.documents().await {
        Ok(documents) => answer::of_list(&documents),
        Err(error) => answer::broken(&request, &control.urls, &error),
    }
}

/// Transactions that reached the acquirer.
pub(super) async fn transactions(control: Data<Control>) -> HttpResponse {
    answer::of_list(&control.world.acquirer.transactions())
}

/// E-mails of all mailboxes.
pub(super) async fn mails(control: Data<Control>) -> HttpResponse {
    answer::of_list(&control.world.mail.mails())
}
