use domain::fiscal::{
    Acceptance,
    ProblemCode::{self, *},
    Verdict,
};

use crate::unsigned::{
    ACCEPTED, AuthorityBackend, UnsignedDocument, fiscal_credit, government, large_consumer, rejected, summary,
    tax_included,
};

async fn accepted(paper: UnsignedDocument) {
    assert_eq!(AuthorityBackend::new().send(&paper).await, ACCEPTED, "{}", paper.xml);
}

async fn observed(paper: UnsignedDocument, codes: &[&str]) {
    match AuthorityBackend::new().send(&paper).await {
        Verdict::Accepted(Acceptance::WithObservations(remarks)) => {
            let given: Vec<&str> = remarks.iter().map(|it| it.code.as_str()).collect();
            assert_eq!(given, codes, "{remarks:?}");
        }
        verdict => panic!("{verdict:?}"),
    }
}

async fn refused(paper: UnsignedDocument, problem: ProblemCode) {
    assert_eq!(AuthorityBackend::new().send(&paper).await, rejected(problem, true), "{}", paper.xml);
}

#[tokio::test]
async fn a_line_may_be_a_peso_off() {
    // 75 exempt pesos become 76, here and in every sum.
    let off_by = |amount: &str, total: &str| {
        fiscal_credit()
            .with("<MontoItem>75.00", &format!("<MontoItem>{amount}"))
            .with("<MontoExento>75.00", &format!("<MontoExento>{amount}"))
            .with("115.52", total)
            .with("115.52", total)
    };

    accepted(off_by("76.00", "115.62")).await;
    observed(off_by("76.01", "115.62"), &["0"]).await;
}

#[tokio::test]
async fn a_total_may_be_a_peso_off_for_each_line() {
    accepted(fiscal_credit().with("<MontoTotal>1933.48", "<MontoTotal>1937.48")).await;
    accepted(fiscal_credit().with("<MontoTotal>1933.48", "<MontoTotal>1929.48")).await;
    observed(fiscal_credit().with("<MontoTotal>1933.48", "<MontoTotal>1937.49"), &["0"]).await;
    observed(fiscal_credit().with("<MontoTotal>1933.48", "<MontoTotal>1929.47"), &["0"]).await;
}

#[tokio::test]
async fn remarks_have_the_codes_that_were_seen() {
    observed(fiscal_credit().with("<MontoGravadoI1>1299.99", "<MontoGravadoI1>1200.00"), &["1934"]).await;
    observed(fiscal_credit().with("<MontoExento>75.00", "<MontoExento>80.00"), &["1964"]).await;
    observed(large_consumer().with("<MontoNoFacturable>50.00", "<MontoNoFacturable>53.00"), &["0"]).await;
    observed(fiscal_credit().with("<TotalITBIS>262.82", "<TotalITBIS>300.00"), &["0"]).await;
    observed(fiscal_credit().with("<MontoGravadoTotal>1480.14", "<MontoGravadoTotal>1000.00"), &["0"]).await;
}

#[tokio::test]
async fn prices_beyond_all_measure_are_remarked_upon() {
    let nines = "9999999999999999.99";
    let beyond = fiscal_credit().with("<CantidadItem>2<", &format!("<CantidadItem>{nines}<"));

    observed(beyond.with("450.00", "9999999999999999.9999"), &["0"]).await;
}

#[tokio::test]
async fn a_rate_is_in_the_totals_if_a_line_has_it() {
    let paper = fiscal_credit();

    refused(paper.with("<MontoGravadoI2>180.15</MontoGravadoI2>", ""), TotalsRejected).await;
    refused(paper.with("<ITBIS2>16</ITBIS2>", ""), TotalsRejected).await;
    refused(paper.with("<TotalITBIS2>28.82</TotalITBIS2>", ""), TotalsRejected).await;
    refused(paper.with("<ITBIS1>18", "<ITBIS1>16"), TotalsRejected).await;
    refused(paper.with("<MontoExento>75.00</MontoExento>", ""), TotalsRejected).await;
    refused(government().with("<TotalITBIS3>0.00</TotalITBIS3>", ""), TotalsRejected).await;
    refused(paper.with("<IndicadorFacturacion>4", "<IndicadorFacturacion>1"), TotalsRejected).await;
}

#[tokio::test]
async fn whether_prices_hold_their_tax_is_said() {
    let unsaid = fiscal_credit().with("<IndicadorMontoGravado>0</IndicadorMontoGravado>", "");

    refused(unsaid, DocumentMalformed).await;
}

#[tokio::test]
async fn prices_may_hold_their_tax() {
    accepted(tax_included()).await;
}

#[tokio::test]
async fn the_tip_is_not_taken_on_the_tax() {
    // A tenth of 1,999.99.
    refused(tax_included().with("169.49", "200.00").with("169.49", "200.00"), TotalsRejected).await;
}

#[tokio::test]
async fn the_legal_tip_is_borne_out_by_the_lines() {
    let paper = fiscal_credit();
    let on_a_line = "<TablaImpuestoAdicional><ImpuestoAdicional><TipoImpuesto>001</TipoImpuesto></ImpuestoAdicional>\
        </TablaImpuestoAdicional>";
    let in_the_totals = "<MontoImpuestoAdicional>115.52</MontoImpuestoAdicional><ImpuestosAdicionales>\
        <ImpuestoAdicional><TipoImpuesto>001</TipoImpuesto><TasaImpuestoAdicional>10</TasaImpuestoAdicional>\
        <OtrosImpuestosAdicionales>115.52</OtrosImpuestosAdicionales></ImpuestoAdicional></ImpuestosAdicionales>";
    let without_lines = paper.with(on_a_line, "").with(on_a_line, "").with(on_a_line, "");

    accepted(paper.with("115.52", "115.53").with("115.52", "115.53")).await;
    refused(paper.with("115.52", "115.54").with("115.52", "115.54"), TotalsRejected).await;
    refused(paper.with(on_a_line, ""), TotalsRejected).await;
    refused(without_lines, TotalsRejected).await;
    refused(paper.with(in_the_totals, ""), TotalsRejected).await;
    refused(paper.with("<MontoImpuestoAdicional>115.52", "<MontoImpuestoAdicional>115.51"), TotalsRejected).await;
    refused(paper.with("<TasaImpuestoAdicional>10", "<TasaImpuestoAdicional>12"), TotalsRejected).await;
    refused(paper.with("<TasaImpuestoAdicional>10</TasaImpuestoAdicional>", ""), TotalsRejected).await;
    let misplaced = paper
        .with("<OtrosImpuestosAdicionales>", "<MontoImpuestoSelectivoConsumoAdvalorem>")
        .with("</OtrosImpuestosAdicionales>", "</MontoImpuestoSelectivoConsumoAdvalorem>");
    refused(misplaced, TotalsRejected).await;
}

#[tokio::test]
async fn what_cannot_be_judged_is_refused() {
    let other_tax_on_a_line = fiscal_credit().with(
        "<TablaImpuestoAdicional><ImpuestoAdicional><TipoImpuesto>001",
        "<TablaImpuestoAdicional><ImpuestoAdicional><TipoImpuesto>006",
    );
    let other_tax_in_the_totals = fiscal_credit().with("<TipoImpuesto>001", "<TipoImpuesto>002");
    let discount = fiscal_credit().with(
        "</DetallesItems>",
        "</DetallesItems><DescuentosORecargos><DescuentoORecargo><NumeroLinea>1</NumeroLinea>\
         <TipoAjuste>D</TipoAjuste></DescuentoORecargo></DescuentosORecargos>",
    );

    refused(other_tax_on_a_line, LineRejected).await;
    refused(other_tax_in_the_totals, LineRejected).await;
    refused(discount, LineRejected).await;
}

#[tokio::test]
async fn discounts_within_a_line_count() {
    let discounted = fiscal_credit().with(
        "<PrecioUnitarioItem>450.00</PrecioUnitarioItem>",
        "<PrecioUnitarioItem>500.00</PrecioUnitarioItem>\
         <DescuentoMonto>110.00</DescuentoMonto><RecargoMonto>10.00</RecargoMonto>",
    );

    accepted(discounted).await;
}

#[tokio::test]
async fn a_summary_adds_up_to_the_centavo() {
    let summary = summary();

    refused(summary.with("<MontoTotal>2169.48", "<MontoTotal>2169.49"), TotalsRejected).await;
    refused(summary.with("<MontoGravadoTotal>1694.91", "<MontoGravadoTotal>1694.90"), TotalsRejected).await;
    refused(summary.with("<TotalITBIS>305.08", "<TotalITBIS>305.09"), TotalsRejected).await;
    refused(summary.with("<MontoGravadoI1>1694.91</MontoGravadoI1>", ""), TotalsRejected).await;
    refused(summary.with("<TotalITBIS1>305.08</TotalITBIS1>", ""), TotalsRejected).await;
    refused(summary.with("<MontoImpuestoAdicional>169.49", "<MontoImpuestoAdicional>169.50"), TotalsRejected).await;
    // A tax that is not the rate's, though everything adds up.
    let cheap = summary
        .with("<TotalITBIS>305.08", "<TotalITBIS>205.08")
        .with("<TotalITBIS1>305.08", "<TotalITBIS1>205.08")
        .with("<MontoTotal>2169.48", "<MontoTotal>2069.48");
    refused(cheap, TotalsRejected).await;
}
