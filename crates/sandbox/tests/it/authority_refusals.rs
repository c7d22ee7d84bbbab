//! Every rule but those of amounts and signatures, broken once.

use chrono::TimeDelta;
use domain::fiscal::{
    Environment, FiscalNumber,
    ProblemCode::{self, *},
    Route,
};
use ports::{Submission, TaxAuthority};

use crate::unsigned::{
    ACCEPTED, ANA, AuthorityBackend, UnsignedDocument, fiscal_credit, government, large_consumer, rejected, signed_by,
    submission, summary, without_messages,
};

#[tokio::test]
async fn documents_of_every_kind_are_accepted() {
    let office = AuthorityBackend::new();

    for paper in [fiscal_credit(), government(), large_consumer(), summary()] {
        assert_eq!(office.send(&paper).await, ACCEPTED, "{}", paper.number);
        assert_eq!(office.ask(&paper).await, ACCEPTED, "{}", paper.number);
    }
}

#[tokio::test]
async fn the_archive_tells_what_came() {
    let office = AuthorityBackend::new();
    let paper = fiscal_credit();
    office.send(&summary()).await;
    office.send(&paper.with("E310000000001</eNCF>", "E310000000009</eNCF>")).await;
    office.send(&paper).await;

    let listed = office.documents().await;

    let statuses: Vec<&str> = listed.iter().map(|it| it.status).collect();
    assert_eq!(statuses, ["accepted", "rejected", "accepted"]);
    let newest = serde_json::to_value(&listed[0]).unwrap();
    let signed = signed_by(&ANA, &paper.xml).await;
    assert_eq!(newest["number"], "E310000000001");
    assert_eq!(newest["issuer"], "130000001");
    assert_eq!(newest["route"], "full");
    assert_eq!(newest["totalMinorUnits"], 1_933_48);
    assert_eq!(newest["securityCode"], signed.security_code());
    assert_eq!(newest["receivedAt"], "2026-03-01T12:00:00Z");
    assert_eq!(newest["xml"], signed.xml);
    assert_eq!(newest["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(listed[1].problem_code, Some("document_malformed"));
    assert_eq!((listed[2].route, listed[2].security_code.as_deref()), ("summary", Some("y3n9Gz")));
}

async fn refused(paper: UnsignedDocument, problem: ProblemCode, is_number_spent: bool) {
    let office = AuthorityBackend::new();

    let verdict = office.send(&paper).await;

    assert_eq!(verdict, rejected(problem, is_number_spent), "{}", paper.xml);
    assert_eq!(office.documents().await[0].is_number_spent, is_number_spent);
}

async fn malformed(paper: UnsignedDocument) {
    refused(paper, DocumentMalformed, false).await;
}

#[tokio::test]
async fn what_is_not_of_the_format_is_refused() {
    let paper = fiscal_credit();

    malformed(paper.with("<TipoIngresos>01</TipoIngresos>", "<TipoIngresos></TipoIngresos>")).await;
    malformed(paper.with("<TipoPago>1</TipoPago>", "")).await;
    malformed(paper.with("<Version>1.0</Version>", "<Version>2.0</Version>")).await;
    malformed(paper.with("<ECF>", "<ECF Id=\"_0\">")).await;
    malformed(paper.with("<MontoExento>75.00</MontoExento>", "<MontoExento>75,00</MontoExento>")).await;
    malformed(paper.with("<MontoExento>75.00</MontoExento>", "<MontoExento>-75.00</MontoExento>")).await;
    malformed(paper.with("<MontoExento>75.00</MontoExento>", "<MontoExento>75.000</MontoExento>")).await;
    malformed(paper.with("<NumeroLinea>2</NumeroLinea>", "<NumeroLinea>3</NumeroLinea>")).await;
    malformed(paper.with("<NombreItem>", "<Nombre>").with("</NombreItem>", "</Nombre>")).await;
    malformed(paper.with("<IndicadorFacturacion>1<", "<IndicadorFacturacion>5<")).await;
    malformed(paper.with("01-03-2026 08:00:00", "2026-03-01T08:00:00")).await;
    malformed(paper.with("<FechaEmision>01-03-2026", "<FechaEmision>31-02-2026")).await;
    malformed(paper.with("<DetallesItems>", "y<DetallesItems>")).await;
    malformed(paper.with("<Emisor>", "<OtraMoneda><TipoMoneda>USD</TipoMoneda></OtraMoneda><Emisor>")).await;
}

#[tokio::test]
async fn a_summary_has_two_decimals_and_its_own_elements() {
    let summary = summary();

    malformed(summary.with("<MontoTotal>2169.48", "<MontoTotal>2169.4")).await;
    malformed(summary.with("<TotalITBIS>", "<ITBIS1>18</ITBIS1><TotalITBIS>")).await;
    malformed(summary.with("y3n9Gz", "y3n9G")).await;
    malformed(summary.with("y3n9Gz", "y3n9G=")).await;
    malformed(fiscal_credit().with("</Encabezado>", "<CodigoSeguridadeCF>y3n9Gz</CodigoSeguridadeCF></Encabezado>"))
        .await;
}

#[tokio::test]
async fn what_is_no_document_at_all_is_refused() {
    let bytes: [&[u8]; 9] = [
        b"",
        b"a bill",
        b"\xff\xfe",
        b"<ECF/>",
        b"<ECF><Encabezado></ECF>",
        b"<Semilla><valor>1</valor></Semilla>",
        b"<!DOCTYPE ECF [<!ENTITY a \"b\">]><ECF>&a;</ECF>",
        b"<ECF>&lol;</ECF>",
        b"<ECF><!-- signed --></ECF>",
    ];
    let office = AuthorityBackend::new();

    for bytes in bytes {
        let verdict = without_messages(office.authority.submit(submission(&fiscal_credit(), bytes.to_vec())).await);
        assert_eq!(verdict, rejected(DocumentMalformed, false));
    }
    let nested = "<a>".repeat(100_000).into_bytes();
    let verdict = without_messages(office.authority.submit(submission(&fiscal_credit(), nested)).await);
    assert_eq!(verdict, rejected(DocumentMalformed, false));

    // None of this has used the number up.
    assert_eq!(office.ask_by(&fiscal_credit(), "abcdef").await, domain::fiscal::Verdict::NotFound);
    assert_eq!(office.send(&fiscal_credit()).await, ACCEPTED);
}

#[tokio::test]
async fn an_anonymous_consumer_may_be_an_empty_element() {
    let office = AuthorityBackend::new();
    let anonymous = summary().with("<RazonSocialComprador>CONSUMIDOR FINAL</RazonSocialComprador>", "");

    assert_eq!(office.send(&anonymous).await, ACCEPTED);
}

#[tokio::test]
async fn white_space_between_elements_does_not_matter() {
    let office = AuthorityBackend::new();
    let spaced = fiscal_credit().with("<Emisor>", "\n  <Emisor>").with("</Totales>", "\n</Totales>\n");

    assert_eq!(office.send(&spaced).await, ACCEPTED);
}

#[tokio::test]
async fn a_document_is_of_the_issuer_and_number_that_its_file_says() {
    let paper = fiscal_credit();

    malformed(paper.with("<RNCEmisor>130000001", "<RNCEmisor>101850043")).await;
    malformed(paper.with("E310000000001</eNCF>", "E310000000002</eNCF>")).await;
    malformed(paper.with("E310000000001</eNCF>", "E330000000001</eNCF>")).await;
    malformed(paper.with("<TipoeCF>31", "<TipoeCF>45")).await;
    malformed(paper.with("<TipoeCF>31", "<TipoeCF>34")).await;
}

#[tokio::test]
async fn small_consumer_documents_are_summarised_and_others_are_not() {
    let small = large_consumer()
        .with("<MontoExento>250000.00", "<MontoExento>249999.99")
        .with("<MontoTotal>250000.00", "<MontoTotal>249999.99");
    let large = summary()
        .with("<MontoGravadoTotal>1694.91", "<MontoExento>250000.00</MontoExento><MontoGravadoTotal>1694.91")
        .with("<MontoTotal>2169.48", "<MontoTotal>252169.48");

    malformed(small).await;
    malformed(large).await;
    malformed(UnsignedDocument { route: Route::Summary, ..fiscal_credit() }).await;
    malformed(UnsignedDocument { route: Route::Full, ..summary() }).await;
}

#[tokio::test]
async fn a_range_expires_where_the_kind_states_it() {
    let expiry = "<FechaVencimientoSecuencia>31-12-2027</FechaVencimientoSecuencia>";
    let last_day = fiscal_credit().with("31-12-2027", "01-03-2026");
    let office = AuthorityBackend::new();

    malformed(fiscal_credit().with(expiry, "")).await;
    malformed(large_consumer().with("</eNCF>", &format!("</eNCF>{expiry}"))).await;
    refused(fiscal_credit().with("31-12-2027", "28-02-2026"), SequenceExpired, false).await;
    assert_eq!(office.send(&last_day).await, ACCEPTED);
}

#[tokio::test]
async fn a_range_is_the_issuers_own() {
    let office = AuthorityBackend::new();
    let (issuer, kind) = (crate::unsigned::issuer(), domain::fiscal::DocumentKind::FiscalCredit);
    office.authority.grant(&issuer, Environment::PreCertification, kind, 2, 5);

    assert_eq!(office.send(&fiscal_credit()).await, rejected(IssuerNotAuthorized, false));
    assert_eq!(office.send(&fiscal_credit().numbered("E310000000002")).await, ACCEPTED);
    assert_eq!(office.send(&fiscal_credit().numbered("E310000000005")).await, ACCEPTED);
    assert_eq!(office.send(&fiscal_credit().numbered("E310000000006")).await, rejected(IssuerNotAuthorized, false));
    assert_eq!(office.send(&government()).await, rejected(IssuerNotAuthorized, false));

    let elsewhere = signed_by(&ANA, &fiscal_credit().numbered("E310000000003").xml).await.xml.into_bytes();
    let elsewhere = Submission {
        environment: Environment::Certification,
        number: FiscalNumber::parse("E310000000003").unwrap(),
        ..submission(&fiscal_credit(), elsewhere)
    };
    assert_eq!(without_messages(office.authority.submit(elsewhere).await), rejected(IssuerNotAuthorized, false));
}

#[tokio::test]
async fn nothing_is_signed_or_issued_in_the_future() {
    let office = AuthorityBackend::new();
    let a_minute_ahead = fiscal_credit().with("08:00:00", "08:01:00");
    let tomorrow = fiscal_credit().with("<FechaEmision>01-03-2026", "<FechaEmision>02-03-2026");

    refused(fiscal_credit().with("08:00:00", "08:01:01"), ClockSkew, true).await;
    refused(tomorrow, IssueDateRejected, true).await;
    refused(summary().with("01-03-2026", "02-03-2026"), IssueDateRejected, true).await;
    assert_eq!(office.send(&a_minute_ahead).await, ACCEPTED);
}

#[tokio::test]
async fn the_day_of_issue_is_a_dominican_day() {
    let office = AuthorityBackend::new();
    // Half past ten in the evening of the first is half past two of the second, by UTC.
    office.clock.advance(TimeDelta::minutes(14 * 60 + 30));

    let tomorrow = summary().with("01-03-2026", "02-03-2026").numbered("E320000000007");

    assert_eq!(office.send(&summary()).await, ACCEPTED);
    assert_eq!(office.send(&tomorrow).await, rejected(IssueDateRejected, true));
}

#[tokio::test]
async fn who_must_be_named_is_named() {
    let number = "<RNCComprador>101000007</RNCComprador>";
    let name = "<RazonSocialComprador>COMPRADOR, SRL</RazonSocialComprador>";
    let person = "<RNCComprador>00100000017</RNCComprador>";

    malformed(fiscal_credit().with(number, "")).await;
    malformed(fiscal_credit().with(name, "")).await;
    malformed(government().with("<RNCComprador>401000008</RNCComprador>", "")).await;
    refused(large_consumer().with(person, ""), BuyerTaxIdNotRegistered, true).await;
    refused(fiscal_credit().with("101000007", "101000008"), BuyerTaxIdNotRegistered, true).await;
    refused(fiscal_credit().with("101000007", "1-01-00000-7"), BuyerTaxIdNotRegistered, true).await;
}

#[tokio::test]
async fn a_foreigner_is_named_by_another_number() {
    let office = AuthorityBackend::new();
    let person = "<RNCComprador>00100000017</RNCComprador>";
    let passport = "<IdentificadorExtranjero>X0000001</IdentificadorExtranjero>";

    let both = large_consumer().with(person, &format!("{person}{passport}"));

    malformed(both).await;
    assert_eq!(office.send(&large_consumer().with(person, passport)).await, ACCEPTED);
}
