//! E-mails about disabled endpoints.

use chrono::TimeDelta;
use cobro_domain::{
    EventId, MerchantId, Mode, Symbols, WebhookEndpointId,
    fiscal::EmailStatus,
    merchant::Profile,
    text::Email,
    webhook::{
        DisabledReason, EndpointDisabledEmail, EndpointUrl, EventSelection, Outage, WebhookDelivery, WebhookEndpoint,
        WebhookResult,
    },
};

use crate::support::noon;

fn name(n: u32) -> Symbols {
    Symbols::parse(&format!("{n:026}")).unwrap()
}

/// Returns the e-mail to a merchant with that support address.
fn mail(support_email: Option<&str>) -> EndpointDisabledEmail {
    let merchant = MerchantId::new(&name(1));
    let endpoint = WebhookEndpoint {
        id: WebhookEndpointId::new(&name(2)),
        merchant: merchant.clone(),
        mode: Mode::Test,
        url: EndpointUrl::parse("https://tienda.example/hooks/s3cret?token=1").unwrap(),
        enabled_events: EventSelection::parse(&["*".to_owned()]).unwrap(),
        description: None,
        disabled: None,
        created_at: noon(),
        updated_at: noon(),
        version: 0,
    };
    let off = endpoint.disabled_for(DisabledReason::Failing, noon() + TimeDelta::days(5));
    let profile = Profile {
        support_email: support_email.and_then(Email::parse),
        ..Profile::blank(&merchant, Mode::Test, noon())
    };
    let outage = Outage { since: noon(), last: WebhookResult::Status(500) };
    EndpointDisabledEmail::new(EventId::new(&name(3)), off, outage, &profile)
}

#[test]
fn the_email_goes_to_the_support_address_at_once() {
    let mail = mail(Some("ayuda@tienda.example"));

    assert_eq!(mail.to.as_ref().map(|it| it.as_str()), Some("ayuda@tienda.example"));
    assert_eq!(mail.mailing.due_at, Some(mail.at()));
    assert_eq!((mail.at(), mail.locale.as_str()), (noon() + TimeDelta::days(5), "es-DO"));
}

#[test]
fn without_a_support_address_the_email_has_failed() {
    let mail = mail(None);

    assert_eq!((mail.to, mail.mailing.due_at), (None, None));
    assert!(matches!(mail.mailing.status, EmailStatus::Failed { at, .. } if at == noon() + TimeDelta::days(5)));
}

#[test]
fn missed_events_begin_before_the_endpoint_was_disabled_and_before_it_failed() {
    let mail = mail(None);
    let longest: TimeDelta = WebhookDelivery::RETRY_PAUSES.iter().sum();

    assert!(mail.not_queued_since() < mail.at() && mail.not_queued_since() > mail.outage.since);
    assert!(mail.given_up_since() + longest < mail.outage.since);
}

#[test]
fn the_host_of_a_url_contains_no_secret() {
    for (url, host) in [
        ("https://tienda.example/hooks/s3cret?token=1", "tienda.example"),
        ("https://tienda.example", "tienda.example"),
        ("https://tienda.example?token=1", "tienda.example"),
        ("https://tienda.example#token", "tienda.example"),
        ("https://user:s3cret@tienda.example/a", "tienda.example"),
        ("https://tienda.example\\s3cret", "tienda.example"),
        ("http://127.0.0.1:3000/a@b", "127.0.0.1:3000"),
    ] {
        assert_eq!(EndpointUrl::parse(url).unwrap().host(), host, "{url}");
    }
}
