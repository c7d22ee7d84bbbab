//! The connection is cut at every point, processed or not: the verdict is correct, and in the end there is one document
//! with the number.

use domain::fiscal::{Route, Verdict};
use sandbox::Cut;
use testkit::authority::{
    security_code,
    unsigned::{UnsignedDocument, fiscal_credit, summary},
    verdicts::ACCEPTED,
};
use tokio::task::JoinSet;

use crate::bench::{Bench, reception};

/// Whether a verdict is correct after a cut.
fn is_true(verdict: &Verdict, cut: Cut, done: bool, route: Route) -> bool {
    match (cut, done, route) {
        (Cut::AfterResponse, true, Route::Summary) => *verdict == ACCEPTED,
        (Cut::AfterResponse, true, Route::Full) => matches!(verdict, Verdict::InProcess { track_id: Some(_) }),
        // Without a response the outcome is unknown, also behind an HTML page.
        _ => *verdict == Verdict::Unknown,
    }
}

async fn one(cut: Cut, done: bool, paper: UnsignedDocument) {
    let case = format!("{cut:?}, done: {done}, {:?}", paper.route);
    let bench = Bench::new().await;
    // The token is cached, so that the cut hits the document.
    bench.enter().await;
    bench.interrupt(cut, done, reception(paper.route));
    let counter = bench.counter();
    let signed = counter.signed(&paper).await;

    let first = counter.send(&paper, &signed).await;

    assert!(is_true(&first, cut, done, paper.route), "{case}: {first:?}");
    assert_eq!(counter.backend.received().await, usize::from(done), "{case}");
    assert_eq!(counter.settle(&paper, &signed, first).await, ACCEPTED, "{case}");
    assert_eq!(counter.backend.received().await, 1, "{case}");
}

async fn all(cut: Cut) {
    let mut cases = JoinSet::new();
    for paper in [fiscal_credit(), summary()] {
        cases.spawn(one(cut, false, paper.clone()));
        if cut.has_read() {
            cases.spawn(one(cut, true, paper));
        }
    }
    assert_eq!(cases.join_all().await.len(), if cut.has_read() { 4 } else { 2 });
}

testkit::cut_tests!(Cut, all);

/// A look-up may be retried.
#[tokio::test]
async fn an_interrupted_look_up_gives_no_verdict() {
    let bench = Bench::new().await;
    let counter = bench.counter();
    assert_eq!(counter.verdict(&fiscal_credit()).await, ACCEPTED);
    assert_eq!(counter.verdict(&summary()).await, ACCEPTED);

    let signed = counter.signed(&fiscal_credit()).await;
    for (operation, paper) in [
        ("consultatrackids", fiscal_credit()),
        ("consultaresultado", fiscal_credit()),
        ("consultaestado", fiscal_credit()),
        ("consultarfce", summary()),
    ] {
        let code = security_code(&paper, &signed);
        for cut in [Cut::AfterRequest, Cut::InsideHead, Cut::InsideBody, Cut::ServerError] {
            bench.interrupt(cut, true, operation);
            assert_eq!(counter.ask(&paper, &code, None).await, Verdict::Unknown, "{operation} {cut:?}");
        }
        assert_eq!(counter.ask(&paper, &code, None).await, ACCEPTED, "{operation}");
    }
}
