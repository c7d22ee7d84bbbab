//! Requests for the page of a payment: reading it, and running the command of a form.

use std::time::Duration;

use actix_web::{
    HttpRequest, HttpResponse, Route,
    guard::{Any, Get, Head},
    http::StatusCode,
    rt::{self, time::sleep},
    web::{self, Data, Payload},
};
use app::{Caller, Error, IdempotentRequest, KeyLeaseHandle, Ports, Rendered, Response, note_action, run_with_lease};
use chrono::{DateTime, Utc};
use domain::{fiscal::DocumentKind, sale::Sale};

use crate::{
    config::Checkout,
    form::Fields,
    note::Note,
    request::request_id,
    respond::{error_page, message_page, redirect},
    session::{CheckoutPageContext, FormOrigin, log_if_failed},
};

/// Interval of lease renewals, well below the lease of an idempotency key.
const LEASE_RENEWAL: Duration = Duration::from_secs(20);

/// Authenticated request for the page of a payment.
pub(crate) struct PageRequest {
    pub(crate) checkout: Data<Checkout>,
    pub(crate) request: HttpRequest,
    pub(crate) context: CheckoutPageContext,
}

/// Route of GET and HEAD. HEAD gets the response of GET without the body.
pub(crate) fn get_or_head() -> Route {
    Route::new().guard(Any(Get()).or(Head()))
}

/// Route of a page of the payment in the path.
pub(crate) fn page_route<H, R>(handler: H) -> Route
where
    H: Fn(PageRequest) -> R + Clone + 'static,
    R: Future<Output = HttpResponse> + 'static,
{
    get_or_head().to(move |checkout: Data<Checkout>, request: HttpRequest| {
        let handler = handler.clone();
        async move {
            match PageRequest::load(checkout, request).await {
                Ok(request) => handler(request).await,
                Err(response) => response,
            }
        }
    })
}

/// Route of a form of such a page.
pub(crate) fn form_route<H, R>(handler: H) -> Route
where
    H: Fn(PageRequest, Fields) -> R + Clone + 'static,
    R: Future<Output = HttpResponse> + 'static,
{
    web::post().to(move |checkout: Data<Checkout>, request: HttpRequest, body: Payload| {
        let handler = handler.clone();
        async move {
            match load_form(checkout, request, body).await {
                Ok((request, fields)) => handler(request, fields).await,
                Err(response) => response,
            }
        }
    })
}

/// Loads the payment, and checks the origin of the form.
async fn load_form(
    checkout: Data<Checkout>,
    request: HttpRequest,
    body: Payload,
) -> Result<(PageRequest, Fields), HttpResponse> {
    let mut request = PageRequest::load(checkout, request).await?;
    let (checkout, texts) = (&request.checkout, request.context.texts);
    if let Err(fault) = checkout.ports.clock_guard.check() {
        return Err(error_page(checkout, texts, &fault.into()));
    }
    let refuse_foreign = || message_page(checkout, texts, StatusCode::FORBIDDEN, texts.foreign_form);
    let fields = Fields::read(body).await.ok_or_else(refuse_foreign)?;
    let origin = request.context.form_origin(&checkout.base_url, &request.request, &fields);
    if origin == FormOrigin::Foreign {
        return Err(refuse_foreign());
    }
    request.context = request.context.at_part(&fields.get("part"));
    if origin == FormOrigin::EarlierSession {
        // The payment ended in another tab, which replaced the session.
        return Err(request.redirect(Some(Note::EarlierSessionForm)));
    }
    log_if_failed("acted", note_action(&request.checkout.ports, &request.context.caller).await);
    Ok((request, fields))
}

impl PageRequest {
    pub(crate) async fn load(checkout: Data<Checkout>, request: HttpRequest) -> Result<Self, HttpResponse> {
        let payment = request.match_info().get("payment").unwrap_or_default();
        let context = CheckoutPageContext::load(&checkout, payment, &request).await?;
        Ok(Self { checkout, request, context })
    }

    pub(crate) fn path_parameter(&self, name: &str) -> &str {
        self.request.match_info().get(name).unwrap_or_default()
    }

    /// Runs a command under an idempotency key, since a browser may repeat the form. `fingerprint_input` identifies the
    /// content of the form. The command completes even if the browser disconnects: between two commits its outcome would
    /// be unknown.
    pub(crate) async fn run<C>(
        &self,
        (key, fingerprint_input): (String, &str),
        command: impl FnOnce(Ports, Caller, IdempotentRequest) -> C,
    ) -> Result<(), Error>
    where
        C: Future<Output = Result<Response, Error>> + 'static,
    {
        let (ports, lease) = (self.checkout.ports.clone(), KeyLeaseHandle::default());
        let fingerprint_input = format!("page {} {fingerprint_input}", self.context.sale.payment.facts.id).into_bytes();
        let id = request_id(&self.request).ok_or_else(|| Error::internal("the request has no ID"))?;
        let key = format!("page-{key}");
        let request = IdempotentRequest { id, key, fingerprint_input, if_match: None, lease: lease.clone() };
        let command = command(ports.clone(), self.context.caller.clone(), request);
        let running =
            rt::spawn(async move { run_with_lease(&ports, &lease, command, || sleep(LEASE_RENEWAL)).await.map(drop) });
        running.await.unwrap_or_else(|_| Err(Error::internal("the server is stopping")))
    }

    /// Redirects to the page, which shows the note.
    pub(crate) fn redirect(self, note: Option<Note>) -> HttpResponse {
        self.redirect_with(note.map(|it| ("note", it.code())))
    }

    /// Redirects to the page, which shows the note and keeps the chosen kind of document in the form.
    pub(crate) fn redirect_keeping_kind(self, note: Note, kind: DocumentKind) -> HttpResponse {
        self.redirect_with(Some(("note", &format!("{}&kind={}", note.code(), kind.as_str()))))
    }

    fn redirect_with(self, parameter: Option<(&str, &str)>) -> HttpResponse {
        let response = redirect(&self.checkout.base_url, &self.context.path_with(parameter));
        self.context.with_cookie(response)
    }

    /// Redirects to the page with the note `done`, or with a note about the error.
    pub(crate) fn redirect_with_outcome(self, outcome: Result<(), Error>, done: Option<Note>) -> HttpResponse {
        match outcome {
            Ok(()) => self.redirect(done),
            Err(error) => match Note::of(&error) {
                Ok(note) => self.redirect(note),
                Err(()) => error_page(&self.checkout, self.context.texts, &error),
            },
        }
    }
}

/// Response body of the use cases, which these pages do not use.
pub(crate) fn no_body(_: &Sale, _: DateTime<Utc>) -> Rendered {
    Rendered { status: 200, etag: None, body: Vec::new() }
}
