//! Issuance of a document, step by step.
//!
//! A crash may follow any step: the number of a document and the bytes for the authority are durable before they are used.

mod alarm;
mod follow;
mod identify_buyer;
mod queue;
mod rerender;
mod resubmit;
mod session;
mod sign;
mod steps;
mod submit;
mod wake;

pub(crate) use rerender::rerender;

use domain::FiscalDocumentId;
use ports::Tenant;

use self::{
    steps::{QueuePolicy, steps},
    wake::{BATCH, Runner, wake_next},
};
use crate::{Error, Ports};

/// Runs the next steps of a document until it has to wait or is complete, and then of the documents that waited
/// behind.
pub async fn issue_document(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId) -> Result<(), Error> {
    let mut id = id.clone();
    for done in 1..=BATCH {
        let Some(progress) = steps(ports, tenant, &id, QueuePolicy::Wait).await? else { return Ok(()) };
        let runner = if done < BATCH { Runner::This } else { Runner::Any };
        match wake_next(ports, tenant, progress, runner).await? {
            Some(next) => id = next,
            None => return Ok(()),
        }
    }
    Ok(())
}
