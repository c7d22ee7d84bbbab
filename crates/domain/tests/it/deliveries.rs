//! Documents that are wanted by e-mail.

use chrono::TimeDelta;
use cobro_domain::{
    Conflict, FiscalDocumentId,
    fiscal::{Delivery, DeliveryStatus, RequestedDelivery},
    text::Email,
};

use crate::support::{after, noon, sale, symbols};

fn email() -> Email {
    Email::parse("rosa@correo.example").unwrap()
}

/// The delivery of that number, asked for so many minutes after noon.
fn asked(number: u32, minutes: i64) -> RequestedDelivery {
    let document = FiscalDocumentId::new(&symbols(1));
    RequestedDelivery { document, number, email: email(), at: noon() + TimeDelta::minutes(minutes) }
}

#[track_caller]
fn check(newest: &[(u32, i64)], now: i64, expected: Result<u32, i64>) {
    let newest: Vec<_> = newest.iter().map(|&(number, minutes)| asked(number, minutes)).collect();

    let admitted = RequestedDelivery::admit(&newest, noon() + TimeDelta::minutes(now));

    assert_eq!(admitted, expected.map_err(TimeDelta::minutes), "{newest:?}");
}

#[test]
fn five_may_be_asked_for_within_a_day_beside_the_first() {
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
fn a_document_shows_the_delivery_that_was_asked_for_last() {
    let mut document = sale().document;
    let version = document.version();

    let requested = document.request_delivery(3, email(), after(5)).unwrap();

    assert_eq!(requested, RequestedDelivery { at: after(5), document: document.facts.id.clone(), ..asked(3, 0) });
    let shown = Delivery { email: Some(email()), status: DeliveryStatus::WaitingForDocument };
    assert_eq!((&document.state().delivery, document.state().updated_at), (&shown, after(5)));
    assert_eq!((document.version(), document.stage()), (version + 1, sale().document.stage()));
}

#[test]
fn a_document_that_will_not_be_is_not_asked_for() {
    let mut document = sale().document;
    document.cancel(noon()).unwrap();
    let before = document.clone();

    let refused = document.request_delivery(1, email(), after(5));

    assert_eq!(refused, Err(Conflict::FiscalArtifactNotReady));
    assert_eq!(document, before);
}

#[test]
fn what_is_asked_for_with_the_document_is_its_first_delivery() {
    let mut document = sale().document;
    assert_eq!(document.first_delivery(), None);

    document.request_delivery(1, email(), after(5)).unwrap();

    let first = RequestedDelivery { document: document.facts.id.clone(), number: 0, email: email(), at: noon() };
    assert_eq!(document.first_delivery(), Some(first));
}
