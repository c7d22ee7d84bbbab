//! Documents that are wanted by e-mail.

use chrono::TimeDelta;
use cobro_domain::{
    Conflict, EventKind, FiscalDocumentId,
    fiscal::{DocumentEmail, DocumentStatus, EmailDelivery, EmailFollowUp, EmailStatus},
    mailing::{MailOutcome, Mailing},
    text::Email,
};

use crate::support::{after, noon, sale, symbols};

fn email() -> Email {
    Email::parse("rosa@correo.example").unwrap()
}

/// Returns the e-mail of that number, requested so many minutes after noon.
fn asked(number: u32, minutes: i64) -> DocumentEmail {
    let document = FiscalDocumentId::new(&symbols(1));
    let at = noon() + TimeDelta::minutes(minutes);
    DocumentEmail { document, number, email: email(), at, mailing: Mailing::waiting() }
}

#[track_caller]
fn check(newest: &[(u32, i64)], now: i64, expected: Result<u32, i64>) {
    let newest: Vec<_> = newest.iter().map(|&(number, minutes)| asked(number, minutes)).collect();

    let admitted = DocumentEmail::admit(&newest, noon() + TimeDelta::minutes(now));

    assert_eq!(admitted, expected.map_err(TimeDelta::minutes), "{newest:?}");
}

#[test]
fn five_emails_may_be_requested_within_a_day_after_the_first() {
    let day = 24 * 60;

    check(&[], 0, Ok(1));
    check(&[(0, 0)], 0, Ok(1));
    check(&[(4, 3), (3, 2), (2, 1), (1, 0), (0, 0)], 4, Ok(5));
    check(&[(5, 4), (4, 3), (3, 2), (2, 1), (1, 0)], 4, Err(day - 4));
    check(&[(5, 4), (4, 3), (3, 2), (2, 1), (1, 0)], day - 1, Err(1));
    check(&[(5, 4), (4, 3), (3, 2), (2, 1), (1, 0)], day, Ok(6));
    check(&[(6, day), (5, 4), (4, 3), (3, 2), (2, 1)], day, Err(1));
    check(&[(9, 0), (8, 0), (7, 0), (6, 0), (5, 0)], 10 * day, Ok(10));
}

#[test]
fn a_document_shows_the_last_requested_email() {
    let mut document = sale().document;
    let version = document.version();

    let requested = document.request_delivery(3, email(), after(5)).unwrap();

    assert_eq!(requested, DocumentEmail { at: after(5), document: document.facts.id.clone(), ..asked(3, 0) });
    let shown = EmailDelivery { email: Some(email()), status: EmailStatus::WaitingForDocument };
    assert_eq!((&document.state().delivery, document.state().updated_at), (&shown, after(5)));
    assert_eq!((document.version(), document.stage()), (version + 1, sale().document.stage()));
}

#[test]
fn a_canceled_document_has_no_email() {
    let mut document = sale().document;
    document.cancel(noon()).unwrap();
    let before = document.clone();

    let refused = document.request_delivery(1, email(), after(5));

    assert_eq!(refused, Err(Conflict::FiscalArtifactNotReady));
    assert_eq!(document, before);
}

#[test]
fn an_email_requested_with_the_document_is_the_first() {
    let mut document = sale().document;
    assert_eq!(document.first_delivery(), None);

    document.request_delivery(1, email(), after(5)).unwrap();

    let first = DocumentEmail { document: document.facts.id.clone(), ..asked(0, 0) };
    assert_eq!(document.first_delivery(), Some(first));
}

#[test]
fn waiting_emails_follow_their_document() {
    use DocumentStatus as Status;
    let mut document = sale().document;
    document.cancel(noon()).unwrap();

    assert_eq!(document.deliveries_follow(Status::Requested), None);
    assert_eq!(EmailFollowUp::of(Status::Requested, Status::Canceled), Some(EmailFollowUp::Canceled));
    assert_eq!(EmailFollowUp::of(Status::Canceled, Status::Requested), Some(EmailFollowUp::Renewed));
    assert_eq!(EmailFollowUp::of(Status::Issuing, Status::Issued), Some(EmailFollowUp::Issued));
    assert_eq!(EmailFollowUp::of(Status::Delayed, Status::Issued), Some(EmailFollowUp::Issued));
    for status in [Status::Issued, Status::Canceled, Status::Requested, Status::Issuing] {
        assert_eq!(EmailFollowUp::of(status, status), None);
    }
    assert_eq!(EmailFollowUp::of(Status::Issuing, Status::Delayed), None);
}

#[test]
fn a_document_shows_the_status_of_its_last_email() {
    let mut document = sale().document;
    document.show_delivery(&EmailStatus::Sent { at: noon() }, after(1));
    assert_eq!(document, sale().document, "no e-mail was requested");
    document.request_delivery(1, email(), after(2)).unwrap();
    let asked = document.version();

    document.show_delivery(&EmailStatus::Queued { at: after(3) }, after(3));
    document.show_delivery(&EmailStatus::Queued { at: after(3) }, after(4));

    assert_eq!(document.state().delivery.status, EmailStatus::Queued { at: after(3) });
    assert_eq!((document.version(), document.state().updated_at), (asked + 1, after(3)));
}

#[test]
fn only_an_ended_email_has_an_event() {
    let mut delivery = asked(1, 0);
    delivery.mailing.begin(noon());
    let queued = delivery.mailing.status.clone();
    assert_eq!(delivery.end_event(&queued), None);

    let mut failed = delivery.clone();
    failed.mailing.abandon(noon());
    delivery.mailing.ended(MailOutcome::Accepted, noon());

    let event_of = |it: &DocumentEmail| it.end_event(&queued).map(|it| (it.kind, it.previous_status));
    assert_eq!(event_of(&delivery), Some((EventKind::FiscalDocumentDeliverySent, Some("queued"))));
    assert_eq!(event_of(&failed), Some((EventKind::FiscalDocumentDeliveryFailed, Some("queued"))));
    let never_tried = asked(1, 0).mailing.status;
    let stale = failed.end_event(&never_tried).and_then(|it| it.previous_status);
    assert_eq!(stale, Some("waiting_for_document"), "an e-mail without an attempt was never queued");
}
