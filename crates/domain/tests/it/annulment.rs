use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::{
    AnnulmentId, Symbols,
    fiscal::{
        Annulment, AnnulmentState, AnnulmentVerdict, DocumentKind, Environment, NotAnnullable, NumberRange,
        Observation, ProblemCode, Remains, TaxId,
    },
};

/// 100 to 199, of which the first ten are assigned.
fn range() -> NumberRange {
    NumberRange {
        issuer: TaxId::parse("130000001").unwrap(),
        environment: Environment::Production,
        kind: DocumentKind::Consumer,
        first: 100,
        last: 199,
        next: 110,
        valid_until: None,
    }
}

#[test]
fn only_unassigned_numbers_are_cut_out() {
    let check = |(first, last), expected| assert_eq!(range().without(first, last), expected, "{first} to {last}");
    let end = |range| Ok(Remains { range, beyond: None });
    let middle = |last, next| {
        let beyond = NumberRange { first: next, next, ..range() };
        Ok(Remains { range: NumberRange { last, ..range() }, beyond: Some(beyond) })
    };

    check((110, 199), end(NumberRange { next: 200, ..range() }));
    check((110, 119), end(NumberRange { next: 120, ..range() }));
    check((190, 199), end(NumberRange { last: 189, ..range() }));
    check((111, 199), end(NumberRange { last: 110, ..range() }));
    check((120, 130), middle(119, 131));
    check((111, 198), middle(110, 199));
    check((150, 150), middle(149, 151));
    check((109, 199), Err(NotAnnullable::Used));
    check((100, 100), Err(NotAnnullable::Used));
    check((110, 200), Err(NotAnnullable::Outside));
    check((99, 110), Err(NotAnnullable::Outside));
    check((130, 129), Err(NotAnnullable::Outside));
    let spent = NumberRange { next: 200, ..range() };
    assert_eq!(spent.without(110, 199), Err(NotAnnullable::NothingLeft));
}

#[test]
fn an_annulled_number_stays_annulled() {
    let now = DateTime::<Utc>::UNIX_EPOCH;
    let later = now + TimeDelta::hours(1);
    let words = || vec![Observation { code: "0".to_owned(), message: "Procesado".to_owned() }];
    let intended = Annulment {
        id: AnnulmentId::new(&Symbols::spell(&[1; 16]).unwrap()),
        issuer: range().issuer,
        environment: Environment::Production,
        kind: DocumentKind::Consumer,
        range: 100,
        first: 110,
        last: 199,
        intended_at: now,
        state: AnnulmentState::Unresolved,
        settled_at: None,
        authority_messages: Vec::new(),
    };

    let unheard = intended.clone().apply_verdict(AnnulmentVerdict::Unavailable, later);
    let barred = intended.clone().apply_verdict(AnnulmentVerdict::Blocked(ProblemCode::CertificateInvalid), later);
    let unclear = intended.clone().apply_verdict(AnnulmentVerdict::Unknown(words()), later);
    let refused = unclear.clone().apply_verdict(AnnulmentVerdict::Refused(words()), later);
    let taken = refused.clone().apply_verdict(AnnulmentVerdict::Annulled(Vec::new()), later);

    assert_eq!((&unheard, &barred), (&intended, &intended));
    assert_eq!(
        (unclear.state, unclear.settled_at, &unclear.authority_messages),
        (AnnulmentState::Unresolved, None, &words())
    );
    assert_eq!((refused.state, refused.settled_at), (AnnulmentState::Refused, Some(later)));
    assert_eq!((taken.state, taken.settled_at, taken.count()), (AnnulmentState::Annulled, Some(later), 90));
    assert_eq!(taken.clone().apply_verdict(AnnulmentVerdict::Refused(words()), later), taken);
}
