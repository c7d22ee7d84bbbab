use actix_web::HttpResponse;
use app::{PageRequest, SaleFilter, list_payments};
use wire::{ListResponse, PaymentResponse, query::PaymentQuery, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant()?;
    let query = call.query(wire::query::payments)?;
    let asked = PageRequest { limit: query.limit, cursor: query.cursor.clone(), filters: query.filters.clone() };
    let _turn = call.turn(&caller).await?;
    let state = call.state();
    let part = list_payments(&state.ports, &caller, filter(query), &asked).await?;
    let now = state.ports.clock.now();
    let shown = part.items.iter().map(|sale| PaymentResponse::full(sale, &state.urls, now)).collect();
    Ok(answer::read(None, to_bytes(&ListResponse::new(shown, part.has_more, &part.next_cursor))))
}

fn filter(query: PaymentQuery) -> SaleFilter {
    SaleFilter {
        accounts: Vec::new(),
        status: query.status,
        sale_reference: query.sale_reference,
        merchant_invoice_number: query.merchant_invoice_number,
        merchant_order_number: query.merchant_order_number,
        created_after: query.created_after,
        created_before: query.created_before,
    }
}
