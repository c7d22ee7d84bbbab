//! Session of a request: the cookie that a link was exchanged for.

use std::error::Error;

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    http::{
        Method, StatusCode,
        header::{ACCEPT_LANGUAGE, COOKIE, HeaderValue, LOCATION, ORIGIN, SET_COOKIE},
    },
};
use app::{Caller, CheckoutSession, authenticate, form_key, get_payment, note_visit, renew_checkout_session};
use chrono::{DateTime, Utc};
use domain::{PaymentId, RequestId, credential::Scope, sale::Sale};

use crate::{
    form::Fields,
    language::Language,
    place::{Checkout, PublicBaseUrl},
    respond::{guard, out_of_order, say},
    texts::Texts,
};

/// Marker in the address of the redirect that sets a cookie. The script removes it from the address bar.
pub(crate) const OPENED: &str = "opened";
/// What remembers the language that a payer has chosen.
const LANGUAGE: &str = "checkout_language";
const YEAR: i64 = 365 * 24 * 3600;

/// A payer at the page of a payment.
pub(crate) struct Visit {
    pub(crate) texts: &'static Texts,
    pub(crate) caller: Caller,
    pub(crate) sale: Sale,
    /// The part of a split that the payer is at, if it is one.
    pub(crate) seat: Option<u8>,
    /// What the forms of this session bring along.
    pub(crate) form_key: String,
    /// The same of the session that the browser showed, which may have been another until now.
    shown_key: String,
    /// What the browser shows from now on, where that is new.
    cookie: Option<HeaderValue>,
}

/// Where a form was sent from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// A page of this session.
    Here,
    /// A page of ours, but of a session that is over: nothing is done, and nothing is wrong.
    Before,
    /// Anywhere else.
    Elsewhere,
}

impl Visit {
    /// Returns the page context of `payment` for the session in the cookie. Without a session, the response explains
    /// how to get one: it is the same for every payment, and does not count as a guess at a link.
    pub(crate) async fn of(checkout: &Checkout, payment: &str, request: &HttpRequest) -> Result<Self, HttpResponse> {
        let texts = language(request, None).texts();
        let without_session = || no_session(checkout, texts, request);
        let payment = PaymentId::parse(payment).ok_or_else(without_session)?;
        let (token, caller) = known(checkout, &payment, request).await.ok_or_else(without_session)?;
        let found = get_payment(&checkout.ports, &caller, payment.as_str()).await;
        let sale = found.map_err(|error| out_of_order(checkout, texts, &error))?;
        let texts = language(request, Some(sale.payment.facts.display.locale.as_str())).texts();
        let seat = seat(&sale, asked(request, "part"));
        let shown_key = form_key(&checkout.ports, &token);
        let renewed =
            renew_checkout_session(&checkout.ports, (&token, &caller), &sale, name_of(request).as_ref()).await;
        match renewed {
            Ok(Some(session)) => {
                let (cookie, form_key) = (cookie_of(checkout, &session), form_key(&checkout.ports, &session.token));
                let CheckoutSession { caller, sale, .. } = session;
                Ok(Self { texts, caller, sale, seat, form_key, shown_key, cookie })
            }
            Ok(None) => {
                noted("seen", note_visit(&checkout.ports, &caller).await);
                // A session that has come to command a split lasts longer than it was made for.
                let organizer = caller.holder(&[Scope::Organizer]).ok();
                let cookie = organizer.and_then(|it| token_cookie(checkout, &payment, &token, it.expires_at));
                Ok(Self { texts, caller, sale, seat, form_key: shown_key.clone(), shown_key, cookie })
            }
            Err(app::Error::Gone(_)) => Err(say(checkout, texts, StatusCode::GONE, texts.no_longer)),
            Err(error) => Err(out_of_order(checkout, texts, &error)),
        }
    }

    /// The payment's page, as browsers ask for it.
    pub(crate) fn path(&self) -> String {
        path(&self.sale.payment.facts.id)
    }

    /// The same page of that part, with more to say to it.
    pub(crate) fn address(&self, more: Option<(&str, &str)>) -> String {
        address(&self.sale.payment.facts.id, self.seat, more)
    }

    /// The same visit, at the part that a form was about.
    pub(crate) fn seated(self, part: &str) -> Self {
        let seat = seat(&self.sale, Some(part));
        Self { seat, ..self }
    }

    /// Where a form comes from: it counts if it is one of this session's own pages, sent from one of them.
    pub(crate) fn sent(&self, place: &PublicBaseUrl, request: &HttpRequest, fields: &Fields) -> Sent {
        let header = |name: &str| request.headers().get(name).and_then(|it| it.to_str().ok());
        let site = header("sec-fetch-site");
        // Our pages tell no origin with what they send, so a browser that says more says so here.
        let is_from_here = match site {
            Some(site) => matches!(site, "same-origin" | "none"),
            None => header(ORIGIN.as_str()).is_none_or(|it| it == "null" || it == place.origin()),
        };
        match *fields.get("key") == self.shown_key {
            true if is_from_here => Sent::Here,
            false if site == Some("same-origin") => Sent::Before,
            _ => Sent::Elsewhere,
        }
    }

    /// The answer, with what the browser shows from now on.
    pub(crate) fn dressed(self, mut answer: HttpResponse) -> HttpResponse {
        if let Some(cookie) = self.cookie {
            answer.headers_mut().append(SET_COOKIE, cookie);
        }
        answer
    }
}

/// The page for a browser without a session of the payment.
fn no_session(checkout: &Checkout, texts: &'static Texts, request: &HttpRequest) -> HttpResponse {
    let has_cookie = request.headers().contains_key(COOKIE);
    match *request.method() {
        // The browser was redirected from the link a moment ago, and does not send the cookie that was set there.
        _ if asked(request, OPENED).is_some() && !has_cookie => {
            say(checkout, texts, StatusCode::FORBIDDEN, texts.no_cookies)
        }
        Method::POST => say(checkout, texts, StatusCode::NOT_FOUND, texts.no_session_to_send),
        _ => say(checkout, texts, StatusCode::NOT_FOUND, texts.no_session),
    }
}

/// Logs that the state of a session was not stored. The session is served nevertheless: at worst a new session replaces
/// it too early.
pub(crate) fn noted(what: &str, stored: Result<(), app::Error>) {
    if let Err(error) = stored {
        tracing::warn!(error = &error as &dyn Error, what, "the state of a session was not stored");
    }
}

/// To a page of ours, by a reading: whoever reloads it sends nothing again.
pub(crate) fn go_to(place: &PublicBaseUrl, path: &str) -> HttpResponse {
    let mut answer = HttpResponse::build(StatusCode::SEE_OTHER);
    guard(place, &mut answer);
    answer.insert_header((LOCATION, place.path(path))).finish()
}

/// What an address says beside its path.
pub(crate) fn asked<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    let mut pairs = request.query_string().split('&').filter_map(|it| it.split_once('='));
    pairs.find(|(other, _)| *other == name).map(|(_, value)| value)
}

/// Remembers the language that the payer has chosen, and shows the page in it.
pub(crate) fn choose(checkout: &Checkout, payment: &str, request: &HttpRequest) -> Option<HttpResponse> {
    let chosen = Language::of(asked(request, "lang")?)?;
    let payment = PaymentId::parse(payment)?;
    let seat = asked(request, "part").and_then(|it| it.parse().ok());
    let mut answer = go_to(&checkout.base_url, &address(&payment, seat, None));
    let cookie = cookie(&checkout.base_url, "/", (LANGUAGE, chosen.texts().tag), YEAR)?;
    answer.headers_mut().append(SET_COOKIE, cookie);
    Some(answer)
}

/// The language of the answer: as chosen, as the browser prefers, or as the merchant speaks.
pub(crate) fn language(request: &HttpRequest, merchants: Option<&str>) -> Language {
    let chosen = cookie_named(request, LANGUAGE).and_then(|it| Language::of(&it));
    let accepted = request.headers().get(ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
    let preferred = || accepted.and_then(Language::preferred);
    chosen.or_else(preferred).or_else(|| merchants.and_then(Language::of)).unwrap_or(Language::Spanish)
}

/// The name of the exchange.
pub(crate) fn id(request: &HttpRequest) -> Result<RequestId, app::Error> {
    name_of(request).ok_or_else(|| app::Error::internal("an exchange has no name"))
}

/// The name of the exchange, where it has one.
pub(crate) fn name_of(request: &HttpRequest) -> Option<RequestId> {
    request.extensions().get().cloned()
}

fn path(payment: &PaymentId) -> String {
    format!("/p/{payment}")
}

/// That page, at a part, with what else is to be said.
pub(crate) fn address(payment: &PaymentId, seat: Option<u8>, more: Option<(&str, &str)>) -> String {
    let seat = seat.map(|it| format!("part={it}"));
    let more = more.map(|(name, value)| format!("{name}={value}"));
    let all: Vec<String> = seat.into_iter().chain(more).collect();
    let query = if all.is_empty() { String::new() } else { format!("?{}", all.join("&")) };
    format!("{}{query}", path(payment))
}

/// The part of that number, if there is one.
pub(crate) fn seat(sale: &Sale, text: Option<&str>) -> Option<u8> {
    let ordinal = text?.parse().ok()?;
    sale.payment.split()?.part(ordinal).map(|it| it.ordinal)
}

/// The token that the browser shows for the payment, and whose it is.
pub(crate) async fn known(checkout: &Checkout, payment: &PaymentId, request: &HttpRequest) -> Option<(String, Caller)> {
    let token = cookie_named(request, &name(&checkout.base_url, payment))?;
    match authenticate(&checkout.ports, &token).await {
        Ok(caller) if caller.payment() == Some(payment) => Some((token, caller)),
        Ok(_) | Err(app::Error::Authentication(_)) => None,
        Err(error) => {
            tracing::error!(error = &error as &dyn Error, "a session was not looked up");
            None
        }
    }
}

/// A cookie of the payment's own: two payments in one browser do not push each other out.
fn name(place: &PublicBaseUrl, payment: &PaymentId) -> String {
    let prefix = if place.is_secure() { "__Secure-" } else { "" };
    let symbols = payment.as_str().strip_prefix(PaymentId::PREFIX).unwrap_or_default();
    format!("{prefix}checkout_{symbols}")
}

pub(crate) fn cookie_of(checkout: &Checkout, session: &CheckoutSession) -> Option<HeaderValue> {
    token_cookie(checkout, &session.sale.payment.facts.id, &session.token, session.expires_at)
}

fn token_cookie(
    checkout: &Checkout,
    payment: &PaymentId,
    token: &str,
    expires_at: DateTime<Utc>,
) -> Option<HeaderValue> {
    let name = name(&checkout.base_url, payment);
    let life = expires_at.signed_duration_since(checkout.ports.clock.now()).num_seconds();
    cookie(&checkout.base_url, "/p", (&name, token), life)
}

/// Whoever comes from the issuer of a card, by a form that is not ours, brings it along again once we have led on: that is
/// as lax as it gets.
fn cookie(place: &PublicBaseUrl, path: &str, (name, value): (&str, &str), seconds: i64) -> Option<HeaderValue> {
    let (path, secure) = (place.path(path), if place.is_secure() { "; Secure" } else { "" });
    let text = format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).ok()
}

fn cookie_named(request: &HttpRequest, name: &str) -> Option<String> {
    let cookies = request.headers().get_all(COOKIE).filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(';'));
    let mut pairs = cookies.filter_map(|it| it.trim().split_once('='));
    pairs.find(|(other, _)| *other == name).map(|(_, value)| value.to_owned())
}
