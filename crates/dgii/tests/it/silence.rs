//! Log lines have numbers and verdicts, but no content of a document and no token.

use domain::fiscal::Route;
use sandbox::Cut;
use testkit::{
    authority::unsigned::{fiscal_credit, summary},
    log::CapturedLog,
};

use crate::bench::{Bench, reception};

#[tokio::test]
async fn no_log_shows_a_document_a_signature_or_a_token() {
    let log = CapturedLog::default();
    let kept = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || kept.clone());
    let _guard = tracing::subscriber::set_default(subscriber.finish());
    let bench = Bench::new().await;
    for cut in Cut::ALL.into_iter().filter(|it| it.has_read() && *it != Cut::Silence) {
        bench.interrupt(cut, true, reception(Route::Full));
    }
    let counter = bench.counter();
    let refused = fiscal_credit().with("101000007", "101000001");
    let signed = counter.signed(&fiscal_credit()).await;

    for paper in [fiscal_credit(), refused, summary()] {
        for _ in 0..4 {
            counter.verdict(&paper).await;
        }
    }

    let text = log.text();
    assert!(text.contains("130000001") && text.contains("E310000000001") && text.contains("not accepted by DGII"));
    let value = signed.signature_value.get(..24).unwrap();
    for secret in ["bearer ", "MontoTotal", "RESTAURANTE", "101000007", "<", "SemillaModel", value] {
        let line = text.lines().find(|it| it.contains(secret));
        assert!(line.is_none(), "{secret} is in the log: {line:?}");
    }
}
