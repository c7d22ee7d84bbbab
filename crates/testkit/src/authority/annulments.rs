//! Annulments of fiscal numbers.

use domain::fiscal::{AnnulmentVerdict, Environment, Verdict};
use ports::SignedAnnulment;

use super::{AuthorityHarness, issuer, unsigned::fiscal_credit, verdicts::ACCEPTED};
use crate::sample::tenant;

/// Unused numbers are annulled, and no document is accepted under them.
pub async fn annulled_numbers_are_not_accepted(harness: &AuthorityHarness) {
    let xml = harness.backend.sign(&annulment("E310000000002", "E310000000100", 99)).await.xml;

    let verdict = give_back(harness, &xml).await;

    assert!(matches!(verdict, AnnulmentVerdict::Annulled(_)), "{verdict:?}");
    let refused = harness.verdict(&fiscal_credit().numbered("E310000000050")).await;
    assert!(matches!(refused, Verdict::Rejected { is_number_spent: false, .. }), "{refused:?}");
    assert_eq!(harness.verdict(&fiscal_credit()).await, ACCEPTED);
}

/// One used number refuses the annulment, and the other numbers stay usable.
pub async fn a_used_number_cannot_be_annulled(harness: &AuthorityHarness) {
    assert_eq!(harness.verdict(&fiscal_credit()).await, ACCEPTED);
    let xml = harness.backend.sign(&annulment("E310000000001", "E310000000003", 3)).await.xml;

    let verdict = give_back(harness, &xml).await;

    let AnnulmentVerdict::Refused(words) = &verdict else { panic!("{verdict:?}") };
    assert!(words.iter().any(|it| it.message.contains("utilizada")), "{words:?}");
    assert_eq!(harness.verdict(&fiscal_credit().numbered("E310000000002")).await, ACCEPTED);
}

/// An invalid signature or a wrong count annuls no number.
pub async fn an_altered_annulment_is_refused(harness: &AuthorityHarness) {
    let altered = harness.backend.sign(&annulment("E310000000001", "E310000000003", 3)).await.xml;
    let altered = altered.replace("E310000000003", "E310000000004");
    let miscounted = harness.backend.sign(&annulment("E310000000001", "E310000000003", 4)).await.xml;

    for xml in [altered, miscounted] {
        let verdict = give_back(harness, &xml).await;
        assert!(matches!(verdict, AnnulmentVerdict::Refused(_)), "{verdict:?}");
    }
    assert_eq!(harness.verdict(&fiscal_credit()).await, ACCEPTED);
}

/// After a lost response the same bytes return the annulment, and annul no further number.
pub async fn a_repeated_annulment_returns_the_same_result(harness: &AuthorityHarness) {
    let xml = harness.backend.sign(&annulment("E310000000002", "E310000000100", 99)).await.xml;
    harness.backend.lose_next_annulment_response();

    let lost = give_back(harness, &xml).await;
    let again = give_back(harness, &xml).await;

    assert_eq!(lost, AnnulmentVerdict::Unknown(Vec::new()));
    let (AnnulmentVerdict::Annulled(words) | AnnulmentVerdict::Refused(words)) = &again else { panic!("{again:?}") };
    assert!(words.iter().any(|it| it.message.contains("ya fue anulada")), "{words:?}");
    assert_eq!(harness.verdict(&fiscal_credit()).await, ACCEPTED);
}

async fn give_back(harness: &AuthorityHarness, xml: &str) -> AnnulmentVerdict {
    let sent = SignedAnnulment {
        is_again: true,
        tenant: tenant(),
        environment: Environment::PreCertification,
        issuer: issuer(),
        file_name: "130000001E310000000002.xml".to_owned(),
        xml: xml.as_bytes().to_vec(),
    };
    harness.ranges.annul(sent).await
}

/// An unsigned annulment of credit documents.
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
