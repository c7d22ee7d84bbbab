//! E-mail about a disabled endpoint, sent and parsed.

use domain::{
    EventId,
    mailing::MailOutcome,
    text::BoundedText,
    webhook::{DisabledReason, EndpointDisabledEmail, WebhookEndpoint, WebhookResult},
};
use mail_parser::MessageParser;
use notifications::EmailTemplates;
use ports::MailComposer;
use testkit::sample;

use crate::{mail_server::MailServer, mailing::send};

/// Returns the e-mail about the sample endpoint in a language.
fn mail(locale: &str, reason: DisabledReason) -> EndpointDisabledEmail {
    let description = BoundedText::parse("La caja <1> & \"2\"");
    let off = WebhookEndpoint { disabled: Some(reason), description, ..sample::endpoint(1) };
    let locale = BoundedText::parse(locale).unwrap();
    EndpointDisabledEmail { locale, ..sample::endpoint_disabled_email(&EventId::new(&sample::symbols(1)), &off) }
}

#[tokio::test]
async fn the_email_names_the_endpoint_the_reason_and_the_remedy() {
    let (server, mail) = (MailServer::friendly().await, mail("es-DO", DisabledReason::Failing));

    for _ in 0..2 {
        assert_eq!(send(&server, EmailTemplates.endpoint_disabled(&mail).unwrap()).await, MailOutcome::Accepted);
    }

    let mails = server.mails();
    let [first, second] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!(first, second, "the same mail is the same bytes");
    let message = MessageParser::default().parse(first.as_bytes()).unwrap();
    assert_eq!(message.to().unwrap().first().unwrap().address(), Some("hola@laesquina.example"));
    assert_eq!(message.message_id(), Some(format!("{}@cobro.example", mail.event).as_str()));
    assert_eq!(message.subject(), Some("Su webhook fue desactivado: laesquina.example"));
    assert_eq!((message.attachments().count(), message.reply_to()), (0, None));
    let text = message.body_text(0).unwrap().replace("\r\n", "\n");
    let at = format!("/v1/webhook_endpoints/{}", mail.endpoint.id);
    for line in [
        &*format!("Webhook: {}", mail.endpoint.id),
        "Servidor: laesquina.example",
        "Descripción: La caja <1> & \"2\"",
        "Modo: prueba",
        "Desactivado: 01/03/2026, 08:00 (hora de Santo Domingo)",
        "No acepta nada desde: 24/02/2026, 08:00 (hora de Santo Domingo)",
        "Último intento: respondió HTTP 503",
        &format!("PATCH {at}"),
        "{\"status\": \"enabled\"}",
        &format!("POST {at}/replays"),
        "{\"since\": \"2026-03-01T11:55:00Z\"}",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}: {text}");
    }
    let html = message.body_html(0).unwrap();
    assert!(html.contains("La caja &lt;1&gt; &amp; &quot;2&quot;"), "{html}");
    // The path of the sample URL may be secret.
    assert!(!text.contains("eventos?") && !html.contains("eventos?"), "{text}");
}

#[test]
fn every_failure_has_a_text_in_both_languages() {
    for (last, spanish, english) in [
        (WebhookResult::Status(404), "respondió HTTP 404", "responded with HTTP 404"),
        (WebhookResult::TimedOut, "no respondió a tiempo", "the request timed out"),
        (
            WebhookResult::Unreachable,
            "no hubo conexión, o se cortó",
            "no connection was possible, or the connection broke",
        ),
        (
            WebhookResult::BlockedAddress,
            "el nombre lleva a una dirección que no es pública",
            "the host name has an address that is not public",
        ),
    ] {
        for (locale, label, words) in [("es-DO", "Último intento", spanish), ("en-US", "Last attempt", english)] {
            let mut mail = mail(locale, DisabledReason::Gone);
            mail.outage.last = last;
            let text = EmailTemplates.endpoint_disabled(&mail).unwrap().text;
            assert!(text.lines().any(|it| it == format!("{label}: {words}")), "{text}");
            assert!(text.contains("410"), "{text}");
        }
    }
}

#[test]
fn without_a_recipient_there_is_no_email() {
    let mail = EndpointDisabledEmail { to: None, ..mail("es-DO", DisabledReason::Failing) };

    assert_eq!(EmailTemplates.endpoint_disabled(&mail), None);
}
