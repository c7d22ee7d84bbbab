use crate::support::{Request, on_one_store};

#[actix_web::test]
async fn the_openapi_document_is_public() {
    on_one_store(async |world| {
        let response = world.send(&Request::bare("GET", "/openapi.json")).await;

        assert_eq!((response.status, response.header("content-type")), (200, "application/json"));
        assert!(response.field("/openapi").starts_with("3.1"), "{}", response.field("/openapi"));
        assert!(response.json()["paths"].as_object().unwrap().len() > 10);
        response.assert_has_request_id();
    })
    .await;
}
