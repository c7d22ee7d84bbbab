use actix_web::web::Data;

use super::{Control, answer, answer::Answer};

/// Documents that the authority received.
pub(super) async fn documents(control: Data<Control>) -> Answer {
    answer::of_list(&control.world.authority.documents().await.map_err(answer::failed)?)
}

/// Transactions that reached the acquirer.
pub(super) async fn transactions(control: Data<Control>) -> Answer {
    answer::of_list(&control.world.acquirer.transactions())
}

/// E-mails of all mailboxes.
pub(super) async fn mails(control: Data<Control>) -> Answer {
    answer::of_list(&control.world.mail.mails())
}
