use cobro_domain::{EventId, PaymentId, RequestId, Symbols};

#[test]
fn an_identifier_is_its_prefix_and_its_symbols() {
    let symbols = Symbols::parse("0123456789abcdefghjkmnpqrs").unwrap();

    let id = PaymentId::new(&symbols);

    assert_eq!(id.as_str(), "payment_0123456789abcdefghjkmnpqrs");
    assert_eq!(PaymentId::parse(id.as_str()), Some(id));
}

#[test]
fn other_symbols_are_no_identifier() {
    for text in [
        "payment_",
        "payment_0123456789abcdefghjkmnp",
        "payment_0123456789abcdefghijkmnpq",
        "payment_0123456789ABCDEFGHJKMNPQ",
        "request_0123456789abcdefghjkmnpq",
        "Payment_0123456789abcdefghjkmnpq",
        "payment_0123456789abcdefghjkmnp\u{661}",
        "",
    ] {
        assert_eq!(PaymentId::parse(text), None, "{text}");
    }
    assert!(RequestId::parse("request_0123456789abcdefghjkmnpq").is_some());
}

#[test]
fn bytes_are_spelled_five_bits_at_a_time() {
    assert_eq!(Symbols::spell(&[0; 16]).unwrap().as_str(), "0".repeat(26));
    assert_eq!(Symbols::spell(&[0xff; 15]).unwrap().as_str(), "z".repeat(24));
    assert_eq!(Symbols::spell(&[0; 14]), None);
    assert_eq!(Symbols::spell(&[0; 41]), None);
}

#[test]
fn an_event_id_contains_its_payment_and_sequence() {
    let payment = PaymentId::new(&Symbols::parse("0123456789abcdefghjkmnpqrs").unwrap());

    let first = EventId::of(&payment, 1).unwrap();
    let later = EventId::of(&payment, 33).unwrap();

    assert_eq!(first.as_str(), "event_0123456789abcdefghjkmnpqrs000001");
    assert_eq!(later.parts(), Some((payment.clone(), 33)));
    assert!(first < later);
    assert_eq!(EventId::of(&payment, u32::MAX), None);
    assert_eq!(EventId::parse("event_0123456789abcdefghjkmnpqrs").unwrap().parts(), None, "too short for both");
}
