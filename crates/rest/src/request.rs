//! Request of an operation, checked in the published order of evaluation.

use actix_web::{HttpMessage, HttpRequest, HttpResponse, http::header::HeaderMap, web::Data};
use app::{
    Browser, Caller, Error, IdempotentRequest, ListPage, Ports, RenderSale, Rendered, Response, View, checkout_version,
    refund_version,
};
use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, InvalidRequest, Refund, Refusal, RequestId, refund::RefundRecord, rights::Right, sale::Sale,
};
use serde::Serialize;
use wire::{ListResponse, MerchantRefundResponse, PaymentResponse, PublicUrls, to_bytes};

use crate::{
    authentication::authenticate,
    body, browser,
    connection::PendingBody,
    execution::run_to_completion,
    limits::ListPermit,
    problem::Problem,
    request_log::{CallerLabels, RequestLog},
    response::{self, entity_tag, sale_etag, version_etag},
    state::State,
};

/// Effect of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Reads: the request has no idempotency key, and no body unless the operation calculates from one.
    Read,
    /// Creates a resource: the request has an idempotency key, and `If-Match` is ignored.
    Create,
    /// Changes a resource: the request has an idempotency key and may have `If-Match`.
    Change,
}

/// Facts of an operation that requests are checked against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Identifier of the operation, such as `createPayment`.
    pub(crate) id: &'static str,
    pub(crate) right: Right,
    pub(crate) effect: Effect,
    /// Whether the path is the only input.
    pub(crate) is_only_path: bool,
    /// Status of the response on success.
    pub(crate) status: u16,
}

/// Request of a caller that has the right to the operation.
pub(crate) struct ApiRequest {
    http: HttpRequest,
    id: RequestId,
    access: Access,
    context: RequestContext,
}

/// State and caller of a request, and how the caller sees resources.
pub(crate) struct RequestContext {
    pub(crate) state: Data<State>,
    pub(crate) caller: Caller,
    status: u16,
}

impl ApiRequest {
    /// Authenticates the caller, charges the rate limits and checks the right.
    pub(crate) async fn authorize(http: HttpRequest, access: Access) -> Result<Self, Problem> {
        let state = http.app_data::<Data<State>>().expect("the application is built with its state").clone();
        let id = http.extensions().get().cloned().expect("the middleware generates an identifier");
        let log: RequestLog = http.extensions().get().cloned().expect("the middleware creates a log");
        log.update(|facts| facts.route = http.match_pattern());
        let caller = authenticate(&state, http.head(), access.id).await?;
        state.uses.note(&state.ports, &caller);
        let (status, admitted) = state.limits.charge(&caller, access.id);
        log.update(|facts| (facts.caller, facts.rate_limit) = (Some(CallerLabels::of(&caller)), Some(status)));
        admitted?;
        caller.may(access.right)?;
        let request = Self { http, id, access, context: RequestContext { state, caller, status: access.status } };
        if access.is_only_path {
            request.check_no_query()?;
            request.check_no_body()?;
        }
        Ok(request)
    }

    /// Runs a command to the end, even if the client disconnects.
    pub(crate) async fn run(
        self,
        idempotent: IdempotentRequest,
        command: impl AsyncFnOnce(&RequestContext, &IdempotentRequest) -> Result<Response, Error> + 'static,
    ) -> Result<HttpResponse, Problem> {
        let (state, lease, context) = (self.context.state.clone(), idempotent.lease.clone(), self.context);
        let response = run_to_completion(&state, lease, async move { command(&context, &idempotent).await }).await?;
        Ok(response::of_command(response))
    }

    /// Runs a command on the payment in the path. The response is the payment as far as the caller may see it.
    pub(crate) async fn run_on_payment(
        self,
        idempotent: IdempotentRequest,
        command: impl AsyncFnOnce(&Ports, &Caller, &IdempotentRequest, &str, RenderSale<'_>) -> Result<Response, Error>
        + 'static,
    ) -> Result<HttpResponse, Problem> {
        let payment = self.segment("paymentId").to_owned();
        let run = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
            let render = |sale: &Sale, now| context.payment(sale, now);
            command(context.ports(), &context.caller, idempotent, &payment, &render).await
        };
        self.run(idempotent, run).await
    }

    /// Returns a parameter of the path as sent; the use case parses it.
    pub(crate) fn segment(&self, name: &str) -> &str {
        self.http.match_info().get(name).unwrap_or_default()
    }

    /// Parses the query.
    pub(crate) fn query<T>(&self, parse: impl FnOnce(&str) -> Result<T, Refusal>) -> Result<T, Problem> {
        let query = parse(self.http.query_string())?;
        self.check_no_body()?;
        Ok(query)
    }

    pub(crate) fn check_no_body(&self) -> Result<(), Refusal> {
        if body::is_sent(self.headers()) {
            let rule = format!("A {} request has no body.", self.http.method());
            return Err(Refusal::of(InvalidRequest::ParameterInvalid).with_message(&rule));
        }
        Ok(())
    }

    pub(crate) fn check_no_query(&self) -> Result<(), Refusal> {
        let mut pairs = self.http.query_string().split('&');
        let Some(first) = pairs.find(|pair| !pair.is_empty()) else { return Ok(()) };
        let name = first.split('=').next().unwrap_or_default();
        let refusal = Refusal::of(InvalidRequest::ParameterInvalid).with_message("There is no such query parameter.");
        Err(Refusal { param: is_identifier(name).then(|| name.to_owned()), ..refusal })
    }

    /// Waits for a permit to read a list.
    pub(crate) async fn list_permit(&self) -> Result<ListPermit, Problem> {
        Ok(self.context.state.limits.list(&self.context.caller.tenant()).await?)
    }

    /// Marks the body as complete: from now on the request may have an effect.
    pub(crate) fn body_arrived(&self) {
        if let Some(pending) = self.http.conn_data::<PendingBody>() {
            pending.clear();
        }
    }

    /// Returns the operation and the path parameters, as input of the request's fingerprint.
    pub(crate) fn target(&self) -> impl Iterator<Item = &str> {
        [self.access.id].into_iter().chain(self.http.match_info().iter().map(|(_, value)| value))
    }

    /// Returns the browser data of the payer that issuers require.
    pub(crate) fn browser(&self) -> Browser {
        browser::browser(self.http.head(), &self.context.state.proxies)
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.http.headers()
    }

    pub(crate) const fn effect(&self) -> Effect {
        self.access.effect
    }

    pub(crate) const fn id(&self) -> &RequestId {
        &self.id
    }

    pub(crate) const fn context(&self) -> &RequestContext {
        &self.context
    }
}

impl RequestContext {
    pub(crate) fn ports(&self) -> &Ports {
        &self.state.ports
    }

    pub(crate) fn urls(&self) -> &PublicUrls {
        &self.state.urls
    }

    /// Renders a payment after a command, as far as the caller may see it. A payment with refunds takes no command of a
    /// payer.
    pub(crate) fn payment(&self, sale: &Sale, now: DateTime<Utc>) -> Rendered {
        self.payment_with(sale, &[], now)
    }

    /// Renders a payment as far as the caller may see it. Only payers see `refunds` in it.
    pub(crate) fn payment_with(&self, sale: &Sale, refunds: &[RefundRecord], now: DateTime<Utc>) -> Rendered {
        match self.caller.view() {
            View::Full => self.sale(sale, &PaymentResponse::full(sale, self.urls(), now)),
            View::Checkout => {
                let body = PaymentResponse::checkout(sale, refunds, self.urls(), now);
                Rendered { etag: Some(entity_tag(&checkout_version(sale, refunds))), ..self.json(&body) }
            }
        }
    }

    /// Renders a refund with its credit note.
    pub(crate) fn refund(&self, refund: &Refund, note: Option<&FiscalDocument>) -> Rendered {
        let etag = entity_tag(&refund_version(refund, note));
        Rendered { etag: Some(etag), ..self.json(&MerchantRefundResponse::new(refund, note)) }
    }

    /// Renders a resource of a sale, with the sale's entity tag.
    pub(crate) fn sale(&self, sale: &Sale, body: &impl Serialize) -> Rendered {
        Rendered { etag: Some(sale_etag(sale)), ..self.json(body) }
    }

    /// Renders a resource that has a version.
    pub(crate) fn versioned(&self, version: u32, body: &impl Serialize) -> Rendered {
        Rendered { etag: Some(version_etag(version)), ..self.json(body) }
    }

    /// Renders a resource without a version.
    pub(crate) fn json(&self, body: &impl Serialize) -> Rendered {
        Rendered { status: self.status, etag: None, body: to_bytes(body) }
    }

    /// Returns the response with a page of a list.
    pub(crate) fn page<'a, T, R: Serialize>(&self, page: &'a ListPage<T>, item: impl Fn(&'a T) -> R) -> HttpResponse {
        let items = page.items.iter().map(item).collect();
        response::json(self.json(&ListResponse::new(items, page.has_more, &page.next_cursor)))
    }
}

/// Whether an error may repeat the name: an identifier cannot hold a card number or a sentence.
fn is_identifier(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
