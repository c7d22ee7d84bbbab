use std::future::ready;

use chrono::{DateTime, Utc};
use domain::{RefundId, fiscal::NoteText, refund::RefundedSale};

use super::{
    RenderRefund,
    decide::{Decided, decide},
};
use crate::{Caller, Error, IdempotentRequest, Ports, Response};

/// Request for another revision of a rejected credit note.
#[derive(Clone, Debug)]
pub struct CorrectNote {
    /// The refund, as named in the path.
    pub refund: String,
    /// Another text for the credit note; without one the text stays.
    pub description: Option<NoteText>,
}

/// Issues a rejected credit note again: the same lines and amounts, in the next revision.
pub async fn correct_credit_note(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: CorrectNote,
    render: RenderRefund<'_>,
) -> Result<Response, Error> {
    let description = &command.description;
    let decision = |mut after: RefundedSale, id: RefundId, now: DateTime<Utc>| {
        let replaced = after.note_of(&id).cloned();
        let corrected = after.correct_note(&id, description.clone(), now);
        ready(corrected.map(|event| Decided { after, events: vec![event], replaced }).map_err(Error::from))
    };
    decide(ports, caller, request, &command.refund, decision, render).await
}
