//! Shutdown of a server while the acquirer does not respond to a payer's card.

use crate::support::{APPROVED_CARD, Request, SALE, on_one_store};

/// Returns the values of the hidden fields of a form, by name.
fn hidden(html: &str) -> String {
    let fields = html.split("<input type=\"hidden\" name=\"").skip(1).filter_map(|it| {
        let (name, rest) = it.split_once('"')?;
        let (_, rest) = rest.split_once("value=\"")?;
        Some(format!("{name}={}&", rest.split_once('"')?.0))
    });
    fields.collect()
}

#[actix_web::test]
async fn a_payer_gets_a_page_that_leads_back_before_the_connection_is_cut() {
    on_one_store(async |mut world| {
        let created = world.sale(SALE).await;
        let link = created.field("/nextAction/url").replace("https://pay.cobro.example", "");
        let entered = world.send(&Request::bare("GET", link)).await;
        let cookie = entered.header("set-cookie").split(';').next().unwrap().to_owned();
        let page = format!("/p/{}", created.field("/id"));
        let shown = world.send(&Request::bare("GET", &page).and("cookie", cookie.as_str())).await;
        let html = shown.text();
        let (_, form) = html.split_once("<form id=\"card\"").expect("there is a form");
        let (form, _) = form.split_once("</form>").unwrap();
        let body = format!("{}number={APPROVED_CARD}&expiry=12%2F35&code=974", hidden(form));
        world.gate.block_calls();
        world.is_draining = true;

        let sent = Request::post(format!("{page}/card"), "", body).and("cookie", cookie.as_str());
        let sent = sent.without("content-type").and("content-type", "application/x-www-form-urlencoded");
        let response = world.send(&sent.without("authorization")).await;

        assert_eq!(response.status, 200, "{}", response.text());
        assert_eq!(response.header("refresh"), format!("15; url={page}"));
        assert!(response.text().contains("No cierre esta página ni pague de nuevo"), "{}", response.text());
        world.gate.until_blocked().await;
        let read = Request::get(format!("/v1/payments/{}", created.field("/id")), &world.one.key);
        assert_eq!(world.send(&read).await.field("/status"), "processing", "the card goes on");
        world.gate.stop_blocking();
    })
    .await;
}
