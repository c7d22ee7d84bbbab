use domain::{Conflict, rights::Right, text::BoundedText};
use ports::{Commit, Tenant};

use super::{RenderRefund, change::changed, conditional, facts::stored, get::find};
use crate::{
    Caller, Error, IdempotentRequest, Ports, Response,
    idempotency::KeyOutcome,
    transact::{Step, transact},
};

/// Request for another revision of a rejected credit note.
#[derive(Clone, Debug)]
pub struct CorrectNote {
    /// The refund, as named in the path.
    pub refund: String,
    /// Another text for the credit note; `None` keeps the present one.
    pub description: Option<BoundedText<1, 90>>,
}

/// Issues a rejected credit note again: the same lines and amounts, in the next revision.
pub async fn correct_credit_note(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: CorrectNote,
    render: RenderRefund<'_>,
) -> Result<Response, Error> {
    caller.may(Right::RefundsManage)?;
    let (tenant, command): (&Tenant, _) = (&caller.tenant(), &command);
    transact(ports, |_| async move {
        let record = find(ports, caller, &command.refund).await?;
        let lease = match request.acquire_key(ports, tenant, caller.payment()).await? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(response)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let (id, now) = (&record.refund.facts.id, ports.clock.now());
        let before = stored(ports, tenant, &record.refund.facts.payment).await?;
        let mut after = before.clone();
        let mut notes = after.notes.iter_mut();
        let corrected = match notes.find(|note| note.refund() == Some(id)) {
            None => Err(Conflict::FiscalCorrectionNotAllowed),
            Some(note) => note.correct_note(command.description.clone(), now),
        };
        let event = conditional(request, &before, id, corrected.map_err(Error::from))?;
        if let (Some(_), Some(refund)) = (&command.description, after.refund_mut(id)) {
            refund.describe(command.description.clone(), now);
        }
        let rendered = render(&after, id, now);
        let key = Some(lease.complete(ports, &rendered)?);
        let commit = changed(&before, &after, id, Some(request.id.clone()), now);
        let commit = Commit { replaced: before.note_of(id).cloned(), events: vec![event], key, ..commit };
        Ok(Step::Commit(Box::new(commit), lease.respond(rendered)))
    })
    .await
}
