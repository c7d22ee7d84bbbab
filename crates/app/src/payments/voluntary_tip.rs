use domain::{InvalidRequest, Money, Refusal, rights::Right, sale::AmountDraft};

use crate::{
    Caller, Error, IdempotentRequest, Ports, RenderSale, Response,
    command::{Named, decide},
};

/// Sets the payer's own tip, before a card is submitted.
pub async fn set_voluntary_tip(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    tip: AmountDraft,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::PaymentsPay)?;
    let limits = ports.limits;
    let decision = |sale: &mut domain::sale::Sale, now| {
        let currency = sale.payment.facts.amount.currency();
        if tip.currency != currency.code() {
            return Err(Refusal::at(InvalidRequest::ParameterInvalid, "amount.currency").into());
        }
        sale.payment.set_voluntary_tip(Money::new(tip.minor_units, currency), &limits, now)?;
        // A tip is no event: nothing that anybody waits for has happened.
        Ok(Vec::new())
    };
    decide(ports, caller, request, Named::Payment(payment), &decision, render).await
}
