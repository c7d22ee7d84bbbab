use super::{Request, World};

/// Status, code and field of an error.
pub(crate) type ExpectedError = (u16, &'static str, Option<&'static str>);

/// Checks that each request gets the error and commits no change of a sale.
pub(crate) async fn check(world: &World, rows: Vec<(Request, ExpectedError)>) {
    for (request, (status, code, param)) in rows {
        let before = world.sale_store.commits();

        let response = world.send(&request).await;

        let expected = (status, code.to_owned(), param.map(str::to_owned));
        let body = String::from_utf8_lossy(&request.body);
        assert_eq!(response.error(), expected, "{} {} {body}: {}", request.method, request.target, response.text());
        assert_eq!(world.sale_store.commits(), before, "nothing was changed by {} {}", request.method, request.target);
    }
}
