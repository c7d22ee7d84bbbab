use crate::support::{Request, on_one_store};

#[actix_web::test]
async fn the_openapi_document_is_public() {
    on_one_store(async |world| {
        let answer = world.send(&Request::bare("GET", "/openapi.json")).await;

        assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
        assert!(answer.field("/openapi").starts_with("3.1"), "{}", answer.field("/openapi"));
        assert!(answer.json()["paths"].as_object().unwrap().len() > 10);
        answer.assert_has_request_id();
    })
    .await;
}
