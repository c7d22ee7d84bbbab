use std::fmt::Write;

use serde_json::{Value, json};

use super::payment;
use crate::support::{APPROVED_CARD, Request, SALE, check, on_each_store, with};

/// Each of 80 characters, as Unicode counts them.
fn of_eighty() -> [String; 6] {
    [
        "🍕".repeat(80),
        "e\u{301}".repeat(40),
        "👩\u{200D}🍳 ".repeat(20),
        "مطعم ".repeat(16),
        "\u{1F1E9}\u{1F1F4}".repeat(40),
        "Ñ".repeat(80),
    ]
}

/// The text with every character as UTF-16 escapes.
fn escaped(text: &str) -> String {
    text.encode_utf16().fold(String::new(), |mut spelled, unit| {
        write!(spelled, "\\u{unit:04x}").unwrap();
        spelled
    })
}

/// E10, E11: a text was measured in bytes or UTF-16 units, and refused.
#[actix_web::test]
async fn the_length_of_a_text_is_its_number_of_characters() {
    on_each_store(async |world| {
        let described = |text: &str| {
            let body = with(SALE, "description", &format!("\"{text}\""));
            Request::post("/v1/payments", &world.one.key, body)
        };
        for text in of_eighty() {
            assert_eq!(text.chars().count(), 80, "{text}");
            for spelled in [text.clone(), escaped(&text)] {
                let created = world.send(&described(&spelled)).await;
                assert_eq!((created.status, created.field("/description")), (201, text.clone()));
                assert_eq!(payment(&world, &created).await.field("/description"), text);
            }
            let longer = described(&format!("{text}\u{301}"));
            check(&world, vec![(longer, (400, "parameter_invalid", Some("description")))]).await;
        }
    })
    .await;
}

/// E11: invalid Unicode was stored as another text.
#[actix_web::test]
async fn invalid_unicode_is_refused_and_not_replaced() {
    on_each_store(async |world| {
        let described = |text: &str| {
            let body = with(SALE, "description", &format!("\"{text}\""));
            Request::post("/v1/payments", &world.one.key, body)
        };
        let control = (400, "parameter_invalid", Some("description"));
        for text in [r"a\u0000b", r"a\u001bb", r"a\u202eb", r"\ud83c", r"a\udf55", r"\udf55\ud83c"] {
            let refused = world.send(&described(text)).await;
            let (status, code, param) = refused.error();
            assert_eq!((status, code.as_str()), (control.0, control.1), "{text}");
            // A lone surrogate makes the whole JSON text invalid.
            assert!(text.contains("\\ud") || param.as_deref() == control.2, "{text}: {param:?}");
        }
        assert_eq!(world.sale_store.payments(), 0);
    })
    .await;
}

/// E10: the copy of a text in the signed document ended in the middle of a character.
#[actix_web::test]
async fn a_line_of_eighty_characters_is_signed_whole() {
    on_each_store(async |world| {
        let dish = "🍕".repeat(80);
        let body = with(SALE, "fiscalDocument.lines.0.description", &format!("\"{dish}\""));

        let created = world.issued(&body, APPROVED_CARD).await;

        let path = format!("/v1/fiscal_documents/{}/signed-document", created.field("/fiscalDocument/id"));
        let signed = world.send(&Request::get(path, &world.one.key)).await;
        assert_eq!(signed.status, 200, "{}", signed.text());
        assert!(signed.text().contains(&format!("<NombreItem>{dish}</NombreItem>")), "{}", signed.text());
    })
    .await;
}

/// E13, E14: a big order failed because of its metadata, or the metadata was truncated to invalid JSON.
#[actix_web::test]
async fn twenty_notes_of_five_hundred_four_byte_characters_come_back_whole() {
    on_each_store(async |world| {
        let prose = |n: usize| -> String {
            let nested = json!({"mesa": n, "platos": ["sancocho", "mangú"], "nota": "\"¡ya!\""}).to_string();
            let rest = 500 - nested.chars().count();
            nested + &"🍤".repeat(rest)
        };
        let metadata: serde_json::Map<String, Value> =
            (0..20).map(|n| (format!("note_{n:02}"), Value::from(prose(n)))).collect();
        let body = with(SALE, "metadata", &Value::Object(metadata.clone()).to_string());

        let created = world.sale(&body).await;
        let listed = world.send(&Request::get("/v1/payments", &world.one.key)).await;
        let events = world.send(&Request::get("/v1/events?type=payment.created", &world.one.key)).await;

        let metadata = Value::Object(metadata);
        assert_eq!(created.json()["metadata"], metadata);
        assert_eq!(payment(&world, &created).await.json()["metadata"], metadata);
        assert_eq!(listed.json()["data"][0]["metadata"], metadata);
        assert_eq!(events.json()["data"][0]["data"]["object"]["metadata"], metadata);

        let one_more = format!("{}🍤", prose(0));
        let too_long = with(&body, "metadata.note_00", &Value::from(one_more).to_string());
        let too_many = with(&body, "metadata.note_20", "\"\"");
        let rows = [(too_long, "metadata.note_00"), (too_many, "metadata")].map(|(body, field)| {
            (Request::post("/v1/payments", &world.one.key, body), (400, "parameter_invalid", Some(field)))
        });
        check(&world, rows.to_vec()).await;
    })
    .await;
}
