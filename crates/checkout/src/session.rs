//! Session of a request, by the cookie that the browser received in exchange for a link.

use std::error::Error;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method, StatusCode,
        header::{COOKIE, HeaderValue, ORIGIN, SET_COOKIE},
    },
};
use app::{
    Caller, CheckoutSession, authenticate, form_key, get_payment, note_visit, renew_checkout_session,
    with_refunds_for_payers,
};
use domain::{PaymentId, credential::Scope, refund::RefundRecord, sale::Sale};

use crate::{
    base_url::PublicBaseUrl,
    config::Checkout,
    cookies::{language_cookie, session_cookie, session_cookie_name, token_cookie},
    form::Fields,
    language::Language,
    paths::{parse_part_ordinal, payment_path},
    request::{cookie_value, language, query_value, request_id},
    respond::{error_page, message_page, redirect},
    texts::Texts,
};

/// Query parameter of the redirect that sets a cookie. The script removes the parameter from the address bar.
pub(crate) const OPENED: &str = "opened";

/// Authenticated request for the page of a payment.
pub(crate) struct CheckoutPageContext {
    pub(crate) texts: &'static Texts,
    pub(crate) caller: Caller,
    pub(crate) sale: Sale,
    /// Newest refunds with their credit notes, newest first.
    pub(crate) refunds: Vec<RefundRecord>,
    /// Ordinal of the part of a split, if the page is about one.
    pub(crate) part_ordinal: Option<u8>,
    /// Key in the forms of this session, against cross-site request forgery.
    pub(crate) form_key: String,
    /// Form key of the session in the request's cookie, which may have been replaced since.
    presented_key: String,
    /// New cookie for the response.
    cookie: Option<HeaderValue>,
}

/// Origin of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormOrigin {
    /// A page of this session.
    CurrentSession,
    /// A page of an earlier session: the form has no effect.
    EarlierSession,
    /// Another site.
    Foreign,
}

impl CheckoutPageContext {
    /// Loads the payment for the session in the cookie.
    ///
    /// # Errors
    ///
    /// Without a session, the response with instructions to get one. The response is the same for every payment, and
    /// does not count as a guess at a link.
    pub(crate) async fn load(checkout: &Checkout, payment: &str, request: &HttpRequest) -> Result<Self, HttpResponse> {
        let texts = language(request, None).texts();
        let without_session = || no_session_page(checkout, texts, request);
        let payment = PaymentId::parse(payment).ok_or_else(without_session)?;
        let (token, caller) = authenticate_cookie(checkout, &payment, request).await.ok_or_else(without_session)?;
        let found = get_payment(&checkout.ports, &caller, payment.as_str()).await;
        let sale = found.map_err(|error| error_page(checkout, texts, &error))?;
        let shown = with_refunds_for_payers(&checkout.ports, sale).await;
        let (sale, refunds) = shown.map_err(|error| error_page(checkout, texts, &error))?;
        let texts = language(request, Some(sale.payment.facts.display.locale.as_str())).texts();
        let part_ordinal = parse_part_ordinal(&sale, query_value(request, "part"));
        let presented_key = form_key(&checkout.ports, &token);
        let id = request_id(request);
        let renewed = renew_checkout_session(&checkout.ports, (&token, &caller), &sale, id.as_ref()).await;
        match renewed {
            Ok(Some(session)) => {
                let (cookie, form_key) =
                    (session_cookie(checkout, &session), form_key(&checkout.ports, &session.token));
                let CheckoutSession { caller, sale, .. } = session;
                Ok(Self { texts, caller, sale, refunds, part_ordinal, form_key, presented_key, cookie })
            }
            Ok(None) => {
                log_if_failed("seen", note_visit(&checkout.ports, &caller).await);
                // The session of an organizer lasts longer than its first cookie.
                let organizer = caller.holder(&[Scope::Organizer]).ok();
                let cookie = organizer.and_then(|it| token_cookie(checkout, &payment, &token, it.expires_at));
                let form_key = presented_key.clone();
                Ok(Self { texts, caller, sale, refunds, part_ordinal, form_key, presented_key, cookie })
            }
            Err(app::Error::Gone(_)) => Err(message_page(checkout, texts, StatusCode::GONE, texts.no_longer)),
            Err(error) => Err(error_page(checkout, texts, &error)),
        }
    }

    /// Path of the payment's page without the part.
    pub(crate) fn path(&self) -> String {
        payment_path(&self.sale.payment.facts.id, None, None)
    }

    /// Path of this page, with a further query parameter.
    pub(crate) fn path_with(&self, parameter: Option<(&str, &str)>) -> String {
        payment_path(&self.sale.payment.facts.id, self.part_ordinal, parameter)
    }

    /// Changes the part to that of a form.
    pub(crate) fn at_part(self, part: &str) -> Self {
        let part_ordinal = parse_part_ordinal(&self.sale, Some(part));
        Self { part_ordinal, ..self }
    }

    /// Checks the origin of a form by its key and by the headers of the browser.
    pub(crate) fn form_origin(&self, base_url: &PublicBaseUrl, request: &HttpRequest, fields: &Fields) -> FormOrigin {
        let header = |name: &str| request.headers().get(name).and_then(|it| it.to_str().ok());
        let site = header("sec-fetch-site");
        // These pages have no referrer, so that browsers send the origin `null`.
        let is_own = match site {
            Some(site) => matches!(site, "same-origin" | "none"),
            None => header(ORIGIN.as_str()).is_none_or(|it| it == "null" || it == base_url.origin()),
        };
        match *fields.get("key") == self.presented_key {
            true if is_own => FormOrigin::CurrentSession,
            false if site == Some("same-origin") => FormOrigin::EarlierSession,
            _ => FormOrigin::Foreign,
        }
    }

    /// Adds the new cookie, if there is one.
    pub(crate) fn with_cookie(self, mut response: HttpResponse) -> HttpResponse {
        if let Some(cookie) = self.cookie {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response
    }
}

/// Page for a browser without a session of the payment.
fn no_session_page(checkout: &Checkout, texts: &'static Texts, request: &HttpRequest) -> HttpResponse {
    let has_cookie = request.headers().contains_key(COOKIE);
    match *request.method() {
        // The redirect has just set a cookie, and the browser does not send the cookie.
        _ if query_value(request, OPENED).is_some() && !has_cookie => {
            message_page(checkout, texts, StatusCode::FORBIDDEN, texts.no_cookies)
        }
        Method::POST => message_page(checkout, texts, StatusCode::NOT_FOUND, texts.no_session_to_send),
        _ => message_page(checkout, texts, StatusCode::NOT_FOUND, texts.no_session),
    }
}

/// Logs that the state of a session was not stored. The request continues: at worst a new session replaces this one too
/// early.
pub(crate) fn log_if_failed(state: &str, stored: Result<(), app::Error>) {
    if let Err(error) = stored {
        tracing::warn!(error = &error as &dyn Error, state, "the state of a session was not stored");
    }
}

/// Returns the redirect that stores the language in the query, if the query has one.
pub(crate) fn choose_language(checkout: &Checkout, payment: &str, request: &HttpRequest) -> Option<HttpResponse> {
    let language = Language::from_tag(query_value(request, "lang")?)?;
    let payment = PaymentId::parse(payment)?;
    let part_ordinal = query_value(request, "part").and_then(|it| it.parse().ok());
    let mut response = redirect(&checkout.base_url, &payment_path(&payment, part_ordinal, None));
    response.headers_mut().append(SET_COOKIE, language_cookie(&checkout.base_url, language)?);
    Some(response)
}

/// Returns the checkout token in the cookie of the payment, and its holder.
pub(crate) async fn authenticate_cookie(
    checkout: &Checkout,
    payment: &PaymentId,
    request: &HttpRequest,
) -> Option<(String, Caller)> {
    let token = cookie_value(request, &session_cookie_name(&checkout.base_url, payment))?;
    match authenticate(&checkout.ports, &token).await {
        Ok(caller) if caller.payment() == Some(payment) => Some((token, caller)),
        Ok(_) | Err(app::Error::Authentication(_)) => None,
        Err(error) => {
            tracing::error!(error = &error as &dyn Error, "the session of a cookie could not be loaded");
            None
        }
    }
}
