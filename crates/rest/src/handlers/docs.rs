use std::fmt::Write;

use actix_web::HttpResponse;
use app::{ArtifactFailure, Authentication, Dependency, Gone, NotFound, Permission, ProviderFailure};
use domain::{Code, Conflict, InvalidRequest, Unprocessable};

use crate::{
    answer,
    problem::{self, Endpoint, Internal, RateLimit},
};

/// Where the interface is described, for people.
pub(crate) async fn handler() -> HttpResponse {
    answer::page(
        "Cobro",
        "<p>The whole interface is one OpenAPI 3.1 document: <a href=\"/openapi.json\">/openapi.json</a>. It opens in \
         any tool that reads OpenAPI.</p>\n<p>What each error code means: <a href=\"/docs/errors\">errors</a>.</p>\n",
    )
}

/// Every error code, at the anchor that `docUrl` names.
pub(crate) async fn errors() -> HttpResponse {
    let mut page = String::from(
        "<p>Branch on <code>code</code>, never on the message.</p>\n<table>\n\
         <tr><th>code</th><th>status</th><th>type</th><th>meaning</th></tr>\n",
    );
    rows::<InvalidRequest>(&mut page);
    rows::<Authentication>(&mut page);
    rows::<Permission>(&mut page);
    rows::<Endpoint>(&mut page);
    rows::<NotFound>(&mut page);
    rows::<Conflict>(&mut page);
    rows::<Gone>(&mut page);
    rows::<Unprocessable>(&mut page);
    rows::<RateLimit>(&mut page);
    rows::<Internal>(&mut page);
    rows::<ProviderFailure>(&mut page);
    rows::<Dependency>(&mut page);
    rows::<ArtifactFailure>(&mut page);
    page.push_str("</table>\n");
    answer::page("Errors", &page)
}

/// The codes of one family. All of it is our own text, so nothing needs escaping.
fn rows<C: Code>(page: &mut String) {
    let (kind, status) = problem::spelling(C::FAMILY);
    for code in C::ALL {
        let (code, meaning, status) = (code.as_str(), code.meaning(), status.as_u16());
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "<tr id=\"{code}\"><td><code>{code}</code></td><td>{status}</td><td>{kind}</td><td>{meaning}</td></tr>"
        );
    }
}
