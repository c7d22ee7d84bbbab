use cobro_domain::{
    Card,
    account::Provider,
    catalog::{Brand, Catalog, NumberPrefixes, Offer},
};
use zeroize::Zeroizing;

fn offer(name: &str, published: &str) -> Offer {
    let [name, published] = [name, published].map(str::to_owned);
    Offer { display_name: name.to_uppercase(), name, published, providers: vec![Provider::Azul] }
}

fn brand(name: &str, published: &str, digits: usize, from: u32, to: u32) -> Brand {
    Brand { offer: offer(name, published), ranges: vec![NumberPrefixes { digits, from, to }] }
}

#[test]
fn a_new_account_takes_the_usual_brands_under_their_published_values() {
    let catalog = Catalog::default();

    for provider in Provider::ALL {
        assert_eq!(catalog.card_brands(provider), ["brand_a", "brand_b"]);
        assert_eq!(catalog.wallets(provider), Vec::<String>::new());
        assert_eq!(catalog.three_ds_programs(provider), ["program_a", "program_b"]);
    }
    assert_eq!(catalog.fault(), None);
}

#[test]
fn a_deployment_may_publish_others() {
    let own = Catalog {
        brands: vec![brand("tarjeta", "own", 6, 422_222, 422_222), brand("visa", "brand_a", 1, 4, 4)],
        programs: vec![offer("own_secure", "own_program")],
        wallets: vec![offer("own_pay", "own_wallet")],
    };
    let text = |it: &str| Zeroizing::new(it.to_owned());
    let card = Card::new(text("4222220000000008"), text("123"), 12, 2030, None).unwrap();

    assert_eq!(card.summary_by(&own).brand.as_deref(), Some("tarjeta"));
    assert_eq!(card.summary().brand.as_deref(), Some("visa"));
    assert_eq!(own.brand_of("4000000000000002").map(|it| it.offer.name.as_str()), Some("visa"));
    assert_eq!(own.brand_of("5424180279791732"), None);
    assert_eq!((own.card_brands(Provider::Azul).len(), own.card_brands(Provider::Simulator).len()), (2, 0));
    assert_eq!(own.three_ds_programs(Provider::Azul), ["own_program"]);
    assert_eq!((own.wallets(Provider::Azul), own.fault()), (vec!["own_wallet".to_owned()], None));
}

#[test]
fn each_violation_is_found() {
    let with = |brands| Catalog { brands, ..Catalog::default() };
    for (brands, word) in [
        (vec![brand("", "a", 1, 4, 4)], "a name has"),
        (vec![brand("Visa", "a", 1, 4, 4)], "a name has"),
        (vec![brand("visa", &"a".repeat(33), 1, 4, 4)], "a name has"),
        (vec![brand("visa", "a", 1, 4, 4), brand("other", "a", 1, 5, 5)], "stands twice"),
        (vec![brand("visa", "a", 1, 4, 4), brand("visa", "b", 1, 5, 5)], "stands twice"),
        (vec![brand("visa", "a", 0, 4, 4)], "a range has"),
        (vec![brand("visa", "a", 9, 4, 4)], "a range has"),
        (vec![brand("visa", "a", 1, 10, 10)], "a range has"),
        (vec![brand("visa", "a", 2, 55, 51)], "a range has"),
    ] {
        let fault = with(brands.clone()).fault();
        assert!(fault.is_some_and(|it| it.contains(word)), "{brands:?}: {fault:?}");
    }
}
