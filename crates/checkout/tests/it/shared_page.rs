use actix_web::test::TestRequest;
use chrono::TimeDelta;
use domain::{credential::Scope, payment::DeclineCode, sale::Sale, split::AuthorizationOutcome};
use testkit::sample;

use crate::support::{Page, World, link};

const PATH: &str = "/p/payment_00000000000000000000000001";

/// The first sale for a caller with that scope, at that place of the page.
async fn seen(sale: Sale, scope: Scope, query: &str) -> Page {
    let world = World::knowing(&[sale]);
    let entered = world.send(TestRequest::get().uri(&link(1))).await;
    world.set_scope(scope);
    let request = TestRequest::get().uri(&format!("{PATH}{query}"));
    world.send(request.insert_header(("cookie", entered.cookie()))).await
}

#[track_caller]
fn shows(page: &Page, parts: &[&str]) {
    for part in parts {
        assert!(page.html.contains(part), "{part} is not in {}", page.html);
    }
}

#[track_caller]
fn hides(page: &Page, parts: &[&str]) {
    for part in parts {
        assert!(!page.html.contains(part), "{part} is in {}", page.html);
    }
}

#[actix_web::test]
async fn a_payer_may_split_if_the_merchant_allows_it() {
    let whole = seen(sample::sale(1), Scope::Pay, "").await;
    let chosen = seen(sample::sale(1), Scope::Pay, "?people=3").await;
    let paid = seen(sample::paid(1), Scope::Receipt, "").await;
    let mut world = World::knowing(&[sample::sale(1)]);
    world.wants_no_splits();
    let unwanted = world.open(&link(1)).await;

    shows(&whole, &[&format!(r#"action="{PATH}/split""#), "Dividir en partes iguales", "Elegir los montos"]);
    for (ordinal, amount) in [(1, "426.67"), (2, "426.67"), (3, "426.66")] {
        shows(&chosen, &[&format!(r#"name="share-{ordinal}""#), &format!(r#"value="{amount}""#)]);
    }
    shows(&chosen, &["Los montos deben sumar RD$ 1,280.00."]);
    hides(&chosen, &[r#"name="share-4""#]);
    for page in [paid, unwanted, seen(sample::sale(1), Scope::Receipt, "").await] {
        hides(&page, &["Dividir la cuenta"]);
    }
}

#[actix_web::test]
async fn shares_that_do_not_come_to_the_total_come_back_as_they_were_typed() {
    let world = World::knowing(&[sample::sale(1)]);
    let cookie = world.send(TestRequest::get().uri(&link(1))).await.cookie();
    let body = "key=abababababababababababababababab&how=exact&people=2&share-1=1%2C000&share-2=a%22b";
    let request = TestRequest::post().uri(&format!("{PATH}/split")).insert_header(("cookie", cookie));

    let page = world.send(request.set_payload(body)).await;

    assert_eq!(page.status, 422);
    shows(&page, &["Escriba el monto con números", r#"value="1,000""#, r#"value="a&#34;b""#, r#"aria-invalid="true""#]);
}

#[actix_web::test]
async fn a_share_link_pays_only_that_share() {
    let world = World::knowing(&[sample::split_sale(1, 3)]);
    let entered = world.send(TestRequest::get().uri(&format!("{}?part=3", link(1)))).await;
    let ghost = world.send(TestRequest::get().uri(&format!("{}?part=4", link(1)))).await;
    let page = seen(sample::split_sale(1, 3), Scope::Pay, "?part=3").await;

    assert_eq!(entered.header("location"), format!("{PATH}?part=3&opened=1"));
    assert_eq!(ghost.header("location"), format!("{PATH}?opened=1"));
    shows(
        &page,
        &[
            r#"<span class="label">Su parte</span> <span class="amount">RD$ 426.66</span>"#,
            "De un total de RD$ 1,280.00",
            "Pagar RD$ 426.66</button>",
            r#"<input type="hidden" name="part" value="3""#,
            "part=3&#38;lang=en",
            "Se cobra cuando todas las partes estén listas y quien dividió la cuenta lo confirme.",
        ],
    );
    hides(&page, &["<noscript><meta"]);
}

#[actix_web::test]
async fn a_declined_share_shows_its_reason_and_a_reserved_one_no_form() {
    let mut sale = sample::split_sale(1, 3);
    for ordinal in [1, 2] {
        sale.submit_part(ordinal, sample::attempt_id(ordinal.into()), sample::card(), sample::noon()).unwrap();
    }
    let held =
        AuthorizationOutcome::Approved { valid_until: sample::noon() + TimeDelta::days(7), is_card_stored: false };
    sale.apply_authorization(&sample::attempt_id(1), held, sample::noon()).unwrap();
    let declined = AuthorizationOutcome::Declined(DeclineCode::InsufficientFunds);
    sale.apply_authorization(&sample::attempt_id(2), declined, sample::noon()).unwrap();

    let reserved = seen(sale.clone(), Scope::Pay, "?part=1").await;
    let again = seen(sale.clone(), Scope::Pay, "?part=2").await;
    let all = seen(sale, Scope::Pay, "").await;

    shows(
        &reserved,
        &[
            "Su parte está reservada",
            "<dt>Se libera si no se cobra antes de</dt><dd>01/03/2026, 10:00 a. m.</dd>",
            "<span class=\"named\">Visa</span> terminada en 1111",
        ],
    );
    hides(&reserved, &["name=\"number\""]);
    shows(&again, &["La tarjeta no tiene fondos suficientes.", r#"name="attempt" value="1""#]);
    shows(&all, &["1 de 3 partes listas: RD$ 426.67", &format!("{PATH}?part=2"), &format!("{PATH}/share/3")]);
    hides(&all, &[&format!("{PATH}?part=1\""), "name=\"number\""]);
}

#[actix_web::test]
async fn only_the_organizer_sees_the_possible_commands() {
    let commands = async |sale: Sale, scope| {
        let page = seen(sale, scope, "").await;
        ["capture", "release", "renew", "join"].map(|it| page.html.contains(&format!("/split/{it}\"")))
    };

    assert_eq!(commands(sample::split_sale(1, 2), Scope::Organizer).await, [false, true, false, true]);
    assert_eq!(commands(sample::authorized_split(1, 2), Scope::Organizer).await, [true, true, false, false]);
    assert_eq!(commands(expired(), Scope::Organizer).await, [false, false, true, false]);
    for sale in [sample::split_sale(1, 2), sample::authorized_split(1, 2), expired()] {
        assert_eq!(commands(sale, Scope::Pay).await, [false; 4]);
    }
}

/// One of two shares was charged: the page no longer mentions reserved shares.
#[actix_web::test]
async fn a_partly_paid_bill_shows_the_remaining_amount() {
    let page = seen(sample::paid_in_part(1), Scope::Organizer, "").await;
    let reserved = seen(sample::authorized_split(1, 2), Scope::Organizer, "").await;

    shows(
        &page,
        &[
            "Se cobró una parte de la cuenta",
            "No se pudo cobrar la parte 2. Intente de nuevo",
            "Cobrar RD$ 640.00</button>",
        ],
    );
    hides(&page, &["Todas las partes están reservadas"]);
    shows(
        &reserved,
        &["Todas las partes están reservadas: ya puede cobrarlas juntas.", "falta que usted pulse «Cobrar»."],
    );
    shows(&reserved, &["<dt>Plazo para pagar y cobrar</dt><dd>01/03/2026, 10:00 a. m.</dd>", "Liberar todo"]);
    shows(&page, &["Lo que ya se cobró no se devuelve aquí", "Liberar lo reservado"]);
    hides(&page, &["Liberar todo"]);
}

/// One share was charged and the other voided: the page requests no further payment.
#[actix_web::test]
async fn a_sale_left_in_part_refers_to_the_merchant() {
    let organizer = seen(sample::left_in_part(1), Scope::Organizer, "").await;
    let charged = seen(sample::left_in_part(1), Scope::Pay, "?part=1").await;
    let spared = seen(sample::left_in_part(1), Scope::Pay, "?part=2").await;

    for page in [&organizer, &charged] {
        shows(
            page,
            &[
                "<h2>La venta no se completó</h2>",
                "con el comercio para que le devuelva el dinero.",
                "La Esquina: <a href=\"tel:",
            ],
        );
        hides(page, &["Falta", "aquí la cobra o la cancela", "/split/"]);
    }
    shows(&organizer, &["<dt>Se cobró</dt><dd>Parte 1: RD$ 640.00</dd>", "1 de 2 partes cobradas: RD$ 640.00"]);
    shows(&charged, &["Su parte se cobró, pero el resto de la cuenta no."]);
    shows(&spared, &["Su parte fue liberada", "No se cobró nada de su parte."]);
}

/// A session that may renew a split, or pay a renewed one, stays valid.
#[actix_web::test]
async fn a_split_that_expired_keeps_its_sessions_while_it_can_be_opened_again() {
    let world = World::knowing(&[expired()]);

    let entered = world.send(TestRequest::get().uri(&link(1))).await;
    let page = world.open(&link(1)).await;

    assert_eq!(world.scope(), Some(Scope::Pay));
    assert!(!entered.cookie().is_empty());
    shows(&page, &["La cuenta no se cobró a tiempo: lo reservado se liberó y no se cobró nada."]);
    shows(&page, &["Quien dividió la cuenta puede abrirla de nuevo.", "<td>Vencida</td>"]);
}

#[actix_web::test]
async fn a_share_is_handed_to_its_payer_as_a_link_and_as_a_code() {
    let page = seen(sample::split_sale(1, 2), Scope::Organizer, "/share/2").await;
    let paid = seen(sample::authorized_split(1, 2), Scope::Receipt, "/share/2").await;
    let ghost = seen(sample::split_sale(1, 2), Scope::Organizer, "/share/3").await;

    let address = format!("https://pay.example{}?part=2", link(1));
    shows(&page, &[&format!("value=\"{address}\" readonly"), "<svg viewBox=", "Parte 2 · RD$ 640.00"]);
    assert_eq!((paid.status, paid.header("location")), (303, format!("{PATH}?part=2").as_str()));
    assert_eq!((ghost.status, ghost.header("location")), (303, PATH));
}

#[actix_web::test]
async fn updates_during_typing_replace_single_lines() {
    let state = seen(sample::authorized_split(1, 2), Scope::Pay, "/state").await;
    let whole = seen(sample::sale(1), Scope::Pay, "/state").await;

    let lines: Vec<&str> = state.html.lines().skip(1).collect();
    assert_eq!(lines, ["2 de 2 partes listas: RD$ 1,280.00", "Reservada", "Reservada"]);
    assert_eq!(whole.html.lines().count(), 1);
}

/// The second share of a paid bill: amount, tax within, and time.
#[actix_web::test]
async fn each_payer_has_a_receipt_of_a_share() {
    let page = seen(sample::paid_in_part(1), Scope::Pay, "?part=1").await;

    shows(
        &page,
        &[
            "Su parte está pagada",
            "<dt>Su parte</dt><dd>RD$ 640.00</dd>",
            "<dt>ITBIS incluido</dt><dd>RD$ 90.00</dd>",
            "<dt>Pagado</dt><dd>",
        ],
    );
}

/// A split among two of the first sale, with a window that ended an hour ago without a payment.
fn expired() -> Sale {
    let mut sale = sample::split_sale(1, 2);
    let end = sale.payment.expires_at();
    sale.expire_due(end).unwrap();
    sale
}
