use domain::{Refusal, Unprocessable, payment::PaymentStatus, rights::Right, sale::Sale, split::Renewal};
use ports::{Page, SaleFilter};

use super::{get::split_of, open::organizer_token, window::window};
use crate::{
    Caller, Error, IdempotentRequest, Ports, RenderSale, Response,
    command::{Decided, SaleName, decide_with, find},
    commit::tenant_of,
    merchants::readiness,
};

/// Opens a new window for a split that expired.
pub async fn renew_split(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::SplitsCommand)?;
    let named = SaleName::Payment(payment);
    let renewal = renewal(ports, &find(ports, caller, named).await?).await?;
    let renewal = &renewal;
    let decision = |mut after: Sale| async move {
        split_of(&after)?;
        let events = after.renew_split(renewal.clone(), ports.clock.now())?;
        Ok(Decided { token: organizer_token(caller, &after), after, events })
    };
    decide_with(ports, caller, request, named, decision, render).await
}

/// Returns the facts outside of the sale that decide a renewal.
async fn renewal(ports: &Ports, sale: &Sale) -> Result<Renewal, Error> {
    let (tenant, facts) = (tenant_of(sale), &sale.payment.facts);
    let newer_and_paid = SaleFilter {
        status: Some(PaymentStatus::Succeeded),
        sale_reference: Some(facts.sale_reference.clone()),
        created_after: Some(facts.created_at),
        ..SaleFilter::default()
    };
    let paid = ports.search.search(&tenant, &newer_and_paid, &Page { after: None, limit: 1 }).await?;
    let setup = ports.merchants.setup(&tenant).await?;
    let window = window(ports, sale)?;
    let readiness = readiness::of_sale(ports, sale, &setup)?;
    let without_window = || Unprocessable::MerchantAccountNotReady.into();
    let account = readiness.check_existing(sale.document.content().kind).map_err(Refusal::without_field);
    Ok(Renewal {
        window: window.unwrap_or_default(),
        is_paid_otherwise: !paid.is_empty(),
        account: account.and(window.map(drop).ok_or_else(without_window)),
    })
}
