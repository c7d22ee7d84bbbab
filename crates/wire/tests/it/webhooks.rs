//! Webhook endpoints and their deliveries.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventId, EventKind, WebhookEndpointId,
    account::Readiness,
    event::{EventRecord, Subject},
    text::BoundedText,
    webhook::{
        DisabledReason, EndpointUrl, EventSelection, LoggedDelivery, ReplayWebhooks, WebhookAttempt, WebhookDelivery,
        WebhookDeliveryStatus, WebhookEndpoint, WebhookResult,
    },
};
use testkit::sample;
use wire::{
    DeletedEndpointResponse, EventPayload, ListResponse, PublicUrls, WebhookDeliveryResponse, WebhookReplayResponse,
    query, replay_webhooks, rotate_webhook_secret, update_webhook_endpoint,
};

use crate::golden::assert_golden;

fn endpoint() -> WebhookEndpoint {
    let account = sample::account();
    WebhookEndpoint {
        id: WebhookEndpointId::new(&sample::symbols(1)),
        merchant: account.merchant,
        mode: account.mode,
        url: EndpointUrl::parse("https://tienda.example/eventos?v=1").unwrap(),
        enabled_events: EventSelection::parse(&["payment.*".to_owned(), "fiscal_document.issued".to_owned()]).unwrap(),
        description: BoundedText::parse("Contabilidad"),
        disabled: None,
        created_at: sample::noon(),
        updated_at: sample::noon(),
        version: 0,
    }
}

fn event_id() -> EventId {
    EventId::of(&sample::payment_id(1), 7).unwrap()
}

fn later(minutes: i64) -> DateTime<Utc> {
    sample::noon() + TimeDelta::minutes(minutes)
}

#[test]
fn endpoints_are_shown_without_their_secrets() {
    let off = endpoint().disabled_for(DisabledReason::Failing, later(7200));

    assert_golden("webhook-endpoint", &wire::WebhookEndpointResponse::from(&endpoint()));
    assert_golden("webhook-endpoint-disabled", &wire::WebhookEndpointResponse::from(&off));
    assert_golden("webhook-deleted", &DeletedEndpointResponse::from(&endpoint()));
    let shown = vec![wire::WebhookEndpointResponse::from(&off)];
    assert_golden("webhook-list", &ListResponse::new(shown, false, "AQAAAZ"));
}

/// D17: of the response of a receiver, only the status is shown.
#[test]
fn deliveries_show_the_last_attempt() {
    let delivery = |status, last: Option<WebhookResult>| {
        let last = last.map(|result| WebhookAttempt { at: later(5), result, took: TimeDelta::milliseconds(312) });
        LoggedDelivery {
            endpoint: endpoint().id,
            event: event_id(),
            kind: EventKind::PaymentSucceeded,
            occurred_at: sample::noon(),
            delivery: WebhookDelivery { attempts: last.map_or(0, |_| 3), status },
            last,
        }
    };
    let logged = [
        delivery(WebhookDeliveryStatus::Pending(later(35)), Some(WebhookResult::BlockedAddress)),
        delivery(WebhookDeliveryStatus::Delivered(later(5)), Some(WebhookResult::Status(204))),
        delivery(WebhookDeliveryStatus::Failed(later(5)), Some(WebhookResult::TimedOut)),
        delivery(WebhookDeliveryStatus::Pending(sample::noon()), None),
    ];
    let shown = logged.iter().map(WebhookDeliveryResponse::new).collect();

    assert_golden("webhook-delivery-list", &ListResponse::new(shown, false, "AQAAAZ"));
}

#[test]
fn a_replay_shows_its_end() {
    let (endpoint, event) = (endpoint(), event_id());
    let period = (sample::noon(), later(60));

    assert_golden("webhook-replay-event", &WebhookReplayResponse::of_event(&endpoint.id, &event));
    assert_golden("webhook-replay-period", &WebhookReplayResponse::of_period(&endpoint.id, period, 1000, false));
}

#[test]
fn an_event_of_an_endpoint_has_no_payment() {
    let urls =
        PublicUrls { checkout_base_url: "https://pay.example".to_owned(), docs_url: "https://docs.example".to_owned() };
    let record = EventRecord {
        id: EventId::new(&sample::symbols(9)),
        kind: EventKind::WebhookEndpointDisabled,
        created_at: later(7200),
        request: None,
        subject: Subject::Endpoint(Box::new(endpoint().disabled_for(DisabledReason::Failing, later(7200)))),
    };

    assert_golden("event-webhook_endpoint", &EventPayload::new(&record, &urls));
}

fn read(text: &str) -> wire::Json {
    wire::json::read(text.as_bytes()).unwrap()
}

#[test]
fn a_replay_has_one_event_or_a_valid_period() {
    let param = |text: &str| replay_webhooks::parse(&read(text)).unwrap_err().param;
    let since = r#""since":"2026-03-01T12:00:00Z""#;

    assert_eq!(param("{}").as_deref(), Some("since"));
    assert_eq!(param(&format!(r#"{{{since},"until":"2026-03-01T12:00:00Z"}}"#)).as_deref(), Some("since"));
    assert_eq!(param(&format!(r#"{{{since},"eventTypes":["nope"]}}"#)).as_deref(), Some("eventTypes.0"));
    assert_eq!(param(&format!(r#"{{{since},"eventId":"{}"}}"#, event_id())).as_deref(), Some("since"));
    assert_eq!(param(r#"{"eventId":"payment_1"}"#).as_deref(), Some("eventId"));
    let all = replay_webhooks::parse(&read(&format!("{{{since}}}"))).unwrap();
    let expected = ReplayWebhooks::Period { since: sample::noon(), until: None, kinds: None, is_only_failed: false };
    assert_eq!(all, expected);
}

#[test]
fn both_secrets_sign_for_one_day_by_default() {
    let overlap = |text: &str| rotate_webhook_secret::parse(&read(text)).map(|it| it.num_seconds()).ok();

    assert_eq!(overlap("{}"), Some(86_400));
    assert_eq!(overlap(r#"{"overlapSeconds":0}"#), Some(0));
    assert_eq!(overlap(r#"{"overlapSeconds":86400}"#), Some(86_400));
    assert_eq!(overlap(r#"{"overlapSeconds":86401}"#), None);
    assert_eq!(overlap(r#"{"overlapSeconds":-1}"#), None);
}

#[test]
fn absent_fields_of_an_update_stay_unchanged() {
    let update = |text: &str| update_webhook_endpoint::parse(&read(text), false);

    let nothing = update("{}").unwrap();
    assert!(nothing.url.is_none() && nothing.enabled_events.is_none() && nothing.description.is_none());
    assert_eq!(nothing.is_enabled, None);
    assert_eq!(update(r#"{"status":"disabled"}"#).unwrap().is_enabled, Some(false));
    assert_eq!(update(r#"{"status":"gone"}"#).unwrap_err().param.as_deref(), Some("status"));
    assert_eq!(update(r#"{"url":"http://a.example/"}"#).unwrap_err().param.as_deref(), Some("url"));
}

#[test]
fn a_cursor_of_deliveries_is_bound_to_its_endpoint_and_status() {
    let filters = |raw: &str, id: &str| query::webhook_deliveries(raw, id).map(|(_, page)| page.filters).ok();

    assert_ne!(filters("", "a"), filters("", "b"));
    assert_ne!(filters("status=failed", "a"), filters("", "a"));
    assert_eq!(filters("status=lost", "a"), None);
    assert_eq!(query::webhook_endpoints("limit=101").unwrap_err().param.as_deref(), Some("limit"));
}

#[test]
fn an_event_of_an_account_shows_readiness_and_previous_status() {
    let urls =
        PublicUrls { checkout_base_url: "https://pay.example".to_owned(), docs_url: "https://docs.example".to_owned() };
    let context = sample::sale_context();
    let at = |now| Readiness::assess(&context.accounts[0], Some(&context.profile), &context.issuer, now);
    let account = context.accounts[0].clone().with_notified(&at(sample::noon()));
    let a_month_before_the_certificate_ends = later(340 * 24 * 60);

    let change = account.readiness_change(
        &at(a_month_before_the_certificate_ends),
        || EventId::new(&sample::symbols(9)),
        None,
        a_month_before_the_certificate_ends,
    );

    let record = change.and_then(|it| it.event).unwrap();
    assert_golden("event-merchant_account", &EventPayload::new(&record, &urls));
}
