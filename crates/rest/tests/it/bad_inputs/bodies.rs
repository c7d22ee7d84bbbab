use super::{Row, check, check_accepted, sale};
use crate::support::{Request, SALE, on_each_store, with};

const INVALID: (u16, &str, Option<&str>) = (400, "parameter_invalid", None);

#[actix_web::test]
async fn of_another_media_type() {
    const OTHER: (u16, &str, Option<&str>) = (415, "parameter_invalid", None);

    on_each_store(async |world| {
        let typed = |name: &str| sale(&world, SALE).with("content-type", name);
        let encoded = |name: &str| sale(&world, SALE).with("content-encoding", name);

        let rows: Vec<Row> = vec![
            ("BAD-060", sale(&world, SALE).without("content-type"), OTHER),
            ("BAD-060", typed("text/plain"), OTHER),
            ("BAD-060", typed("application/xml"), OTHER),
            ("BAD-060", typed("application/json; charset=latin1"), OTHER),
            ("BAD-060", typed("application/json; charset=utf-8; x=y"), OTHER),
            ("BAD-060", typed("application/json, text/plain"), OTHER),
            ("BAD-060", typed("application/merge-patch+json"), OTHER),
            ("BAD-060", typed("application/json").and("content-type", "application/json"), OTHER),
            ("BAD-061", encoded("gzip"), OTHER),
            ("BAD-061", encoded("br"), OTHER),
            ("BAD-061", encoded("deflate"), OTHER),
            ("BAD-061", encoded("identity"), OTHER),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn of_the_right_media_type_in_any_spelling() {
    on_each_store(async |world| {
        let typed = |name: &str| sale(&world, SALE).with("content-type", name);

        let rows = vec![
            ("BAD-060", typed("application/json; charset=utf-8")),
            ("BAD-060", typed("Application/JSON;charset=UTF-8")),
            ("BAD-060", typed("application/json; charset=\"utf-8\"")),
        ];

        check_accepted(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn that_is_no_json_or_not_the_json_that_it_seems() {
    on_each_store(async |world| {
        let with = |path: &str, value: &str| sale(&world, with(SALE, path, value));
        let raw = |bytes: &[u8]| sale(&world, bytes);
        let text = |spelled: &[u8]| raw(&[br#"{"saleReference":""#, spelled, br#""}"#].concat());
        let at = |param: &'static str| (400, "parameter_invalid", Some(param));

        let rows: Vec<Row> = vec![
            ("BAD-063", raw(br#"["s-1",["DOP",1],null]"#), INVALID),
            ("BAD-064", with("amount", r#"["DOP",118000]"#), at("amount")),
            ("BAD-065", with("fiscalDocument.kind", r#"{"consumer":null}"#), at("fiscalDocument.kind")),
            ("BAD-067", with("metadata", r#"{"k":"1","k":"2"}"#), at("metadata.k")),
            ("BAD-067", raw(br#"{"saleReference":"a","saleReference":"b"}"#), at("saleReference")),
            ("BAD-068", raw(format!("{SALE}x").as_bytes()), INVALID),
            ("BAD-068", raw(br#"{"a":"b",}"#), INVALID),
            ("BAD-068", raw(b"{/* nothing */}"), INVALID),
            ("BAD-068", raw(b"{'a':1}"), INVALID),
            ("BAD-068", raw(b"\xef\xbb\xbf{}"), INVALID),
            ("BAD-068", raw(b""), INVALID),
            ("BAD-069", raw("[".repeat(100_000).as_bytes()), INVALID),
            ("BAD-069", raw(r#"{"a":"#.repeat(50_000).as_bytes()), INVALID),
            ("BAD-072", with("saleReference", r#""a\u0000b""#), at("saleReference")),
            ("BAD-073", text(br"\ud800"), at("saleReference")),
            ("BAD-073", text(br"\udc00"), at("saleReference")),
            ("BAD-073", text(b"\xff"), at("saleReference")),
            ("BAD-073", text(b"\xc0\x80"), at("saleReference")),
            ("BAD-073", text(b"\xed\xa0\x80"), at("saleReference")),
            ("BAD-075", with("unknown", "1"), at("unknown")),
            ("BAD-075", with("amount.note", r#""x""#), at("amount.note")),
            ("BAD-075", with("isLiveMode", "true"), at("isLiveMode")),
            ("BAD-075", with("status", r#""succeeded""#), at("status")),
            ("BAD-075", with("tenantId", "2"), at("tenantId")),
            ("BAD-076", with(&"k".repeat(10_000), "1"), INVALID),
            ("BAD-076", with("metadata", &format!("[{}0]", "0,".repeat(20_001))), INVALID),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn that_is_too_long() {
    on_each_store(async |world| {
        let long = |length: usize| sale(&world, format!(r#"{{"saleReference":"{}"}}"#, "x".repeat(length)));

        let rows: Vec<Row> = vec![
            ("BAD-071", long(513 * 1024), (413, "parameter_invalid", None)),
            ("BAD-071", long(512 * 1024), (413, "parameter_invalid", None)),
            // Short enough to be read: now something is missing.
            ("BAD-071", long(511 * 1024), (400, "parameter_missing", Some("amount"))),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn on_a_reading() {
    on_each_store(async |world| {
        let key = world.one.key.as_str();
        let get = |path: &str| Request::get(path, key);
        let sent = |request: Request| request.with("content-length", "2").sending("{}");

        let rows: Vec<Row> = vec![
            ("BAD-077", sent(get("/v1/payments/x")), INVALID),
            ("BAD-077", get("/v1/payments/x").with("transfer-encoding", "chunked"), INVALID),
            ("BAD-077", sent(get("/v1/fiscal_documents/x")), INVALID),
            ("BAD-077", sent(get("/v1/fiscal_documents/x/signed-document")), INVALID),
            ("BAD-077", sent(get("/v1/merchant_accounts/x")), INVALID),
        ];

        check(&world, rows).await;
    })
    .await;
}
