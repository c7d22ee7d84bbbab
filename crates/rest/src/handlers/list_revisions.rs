use actix_web::HttpResponse;
use app::{PageRequest, list_revisions};
use wire::{FiscalDocumentResponse, ListResponse, query::PageQuery, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant()?;
    let id = call.segment("id");
    let PageQuery { limit, cursor, filters } = call.query(|raw| wire::query::revisions(raw, id))?;
    let asked = PageRequest { limit, cursor, filters };
    let _turn = call.turn(&caller).await?;
    let part = list_revisions(&call.state().ports, &caller, id, &asked).await?;
    let shown = part.items.iter().map(FiscalDocumentResponse::full).collect();
    Ok(answer::read(None, to_bytes(&ListResponse::new(shown, part.has_more, &part.next_cursor))))
}
