use super::{Request, World};

/// Status, code and field of an error.
pub(crate) type Told = (u16, &'static str, Option<&'static str>);

/// Checks that each request gets the error and commits no change of a sale.
pub(crate) async fn check(world: &World, rows: Vec<(Request, Told)>) {
    for (request, (status, code, param)) in rows {
        let before = world.watch.commits();

        let response = world.send(&request).await;

        let told = (status, code.to_owned(), param.map(str::to_owned));
        let body = String::from_utf8_lossy(&request.body);
        assert_eq!(response.error(), told, "{} {} {body}: {}", request.method, request.target, response.text());
        assert_eq!(world.watch.commits(), before, "nothing was changed by {} {}", request.method, request.target);
    }
}
