//! Numbers that are given back.

use domain::fiscal::{AnnulmentVerdict, Environment, Verdict};
use ports::SignedAnnulment;

use super::{AuthorityHarness, issuer, unsigned::fiscal_credit, verdicts::ACCEPTED};
use crate::sample::tenant;

/// What was never used is taken back, and no document is accepted under it.
pub async fn numbers_that_are_given_back_go_to_no_document(counter: &AuthorityHarness) {
    let xml = counter.backend.sign(&annulment("E310000000002", "E310000000100", 99)).await.xml;

    let verdict = give_back(counter, &xml).await;

    assert!(matches!(verdict, AnnulmentVerdict::Annulled(_)), "{verdict:?}");
    let refused = counter.verdict(&fiscal_credit().numbered("E310000000050")).await;
    assert!(matches!(refused, Verdict::Rejected { is_number_spent: false, .. }), "{refused:?}");
    assert_eq!(counter.verdict(&fiscal_credit()).await, ACCEPTED);
}

/// One number that a document has is enough, and the others stay usable.
pub async fn a_used_number_is_not_taken_back(counter: &AuthorityHarness) {
    assert_eq!(counter.verdict(&fiscal_credit()).await, ACCEPTED);
    let xml = counter.backend.sign(&annulment("E310000000001", "E310000000003", 3)).await.xml;

    let verdict = give_back(counter, &xml).await;

    let AnnulmentVerdict::Refused(words) = &verdict else { panic!("{verdict:?}") };
    assert!(words.iter().any(|it| it.message.contains("utilizada")), "{words:?}");
    assert_eq!(counter.verdict(&fiscal_credit().numbered("E310000000002")).await, ACCEPTED);
}

/// A signature that does not hold, or a count that is wrong, takes nothing back.
pub async fn what_was_altered_is_not_taken_back(counter: &AuthorityHarness) {
    let altered = counter.backend.sign(&annulment("E310000000001", "E310000000003", 3)).await.xml;
    let altered = altered.replace("E310000000003", "E310000000004");
    let miscounted = counter.backend.sign(&annulment("E310000000001", "E310000000003", 4)).await.xml;

    for xml in [altered, miscounted] {
        let verdict = give_back(counter, &xml).await;
        assert!(matches!(verdict, AnnulmentVerdict::Refused(_)), "{verdict:?}");
    }
    assert_eq!(counter.verdict(&fiscal_credit()).await, ACCEPTED);
}

/// After a lost answer the same bytes say that the numbers were taken back, and take nothing else.
pub async fn the_same_bytes_once_more_say_that_it_was_done(counter: &AuthorityHarness) {
    let xml = counter.backend.sign(&annulment("E310000000002", "E310000000100", 99)).await.xml;
    counter.backend.lose_next_annulment_response();

    let lost = give_back(counter, &xml).await;
    let again = give_back(counter, &xml).await;

    assert_eq!(lost, AnnulmentVerdict::Unknown(Vec::new()));
    let (AnnulmentVerdict::Annulled(words) | AnnulmentVerdict::Refused(words)) = &again else { panic!("{again:?}") };
    assert!(words.iter().any(|it| it.message.contains("ya fue anulada")), "{words:?}");
    assert_eq!(counter.verdict(&fiscal_credit()).await, ACCEPTED);
}

async fn give_back(counter: &AuthorityHarness, xml: &str) -> AnnulmentVerdict {
    let sent = SignedAnnulment {
        is_again: true,
        tenant: tenant(),
        environment: Environment::PreCertification,
        issuer: issuer(),
        file_name: "130000001E310000000002.xml".to_owned(),
        xml: xml.as_bytes().to_vec(),
    };
    counter.ranges.annul(sent).await
}

/// Numbers of credit documents, as an issuer might give them back; unsigned.
fn annulment(first: &str, last: &str, count: u64) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><ANECF><Encabezado><Version>1.0</Version>\
         <RncEmisor>130000001</RncEmisor><CantidadeNCFAnulados>{count}</CantidadeNCFAnulados>\
         <FechaHoraAnulacioneNCF>15-01-2026 08:00:00</FechaHoraAnulacioneNCF></Encabezado><DetalleAnulacion><Anulacion>\
         <NoLinea>1</NoLinea><TipoeCF>31</TipoeCF><TablaRangoSecuenciasAnuladaseNCF><Secuencias>\
         <SecuenciaeNCFDesde>{first}</SecuenciaeNCFDesde><SecuenciaeNCFHasta>{last}</SecuenciaeNCFHasta></Secuencias>\
         </TablaRangoSecuenciasAnuladaseNCF><CantidadeNCFAnulados>{count}</CantidadeNCFAnulados></Anulacion>\
         </DetalleAnulacion></ANECF>"
    )
}
