//! Tests over HTTP of every rule that classifies refusals: the simulated authority refuses a document for its cause,
//! and the document ends in the expected state.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use dgii::refusal_rules;
use domain::{
    FiscalDocument,
    fiscal::{
        DocumentKind, DocumentStage,
        DocumentStatus::{self, Delayed, Rejected},
        ProblemCode::{self, *},
        Verdict,
    },
};
use ports::{Clock, TaxAuthority};
use reqwest::Method;
use serde_json::json;
use testkit::{
    authority::{
        AuthorityHarness, issuer, security_code, submission,
        unsigned::{UnsignedDocument, fiscal_credit, large_consumer, summary},
        verdicts::ACCEPTED,
    },
    sample,
};

use crate::bench::{ANA_ENDS, Bench};

/// Cause of a refusal.
enum Cause {
    /// The text of the document.
    Text(UnsignedDocument),
    /// A violation of the schema.
    BreaksSchema(UnsignedDocument),
    /// The issuer of the document was granted other numbers.
    NumbersOfOthers(UnsignedDocument),
    /// The certificate expired after the signature, while a token was still valid.
    CertificateEnded,
    /// The signer has no delegation.
    NotDelegated,
    /// The document was altered after its signature.
    Altered,
    /// Another document has its number.
    NumberOfAnother,
    /// Causes that no document of a sale has, or words that only other causes have.
    Forced { code: &'static str, message: &'static str, is_number_spent: bool },
}

/// Cause and expected outcome for each rule.
fn cases() -> BTreeMap<&'static str, (Cause, DocumentStatus, ProblemCode)> {
    use Cause::{Altered, BreaksSchema, CertificateEnded, NotDelegated, NumberOfAnother, NumbersOfOthers, Text};

    let credit = fiscal_credit;
    let inclusion = "<IndicadorMontoGravado>0</IndicadorMontoGravado>";
    let other_tax = "<TablaImpuestoAdicional><ImpuestoAdicional><TipoImpuesto>001";
    let adjustment = "</DetallesItems><DescuentosORecargos><DescuentoORecargo><NumeroLinea>1</NumeroLinea>\
                      <TipoAjuste>D</TipoAjuste></DescuentoORecargo></DescuentosORecargos>";
    BTreeMap::from([
        ("1209", (NumberOfAnother, Rejected, DuplicateNumber)),
        ("75", (NumbersOfOthers(summary()), Delayed, IssuerNotAuthorized)),
        ("135", (NumbersOfOthers(credit()), Delayed, IssuerNotAuthorized)),
        ("145", (Text(credit().with("31-12-2027", "28-02-2026")), Delayed, SequenceExpired)),
        ("156", (spent("156", "El IndicadorNotaCredito no es válido."), Rejected, DocumentMalformed)),
        ("176", (Text(credit().with(inclusion, "")), Rejected, DocumentMalformed)),
        ("181", (spent("181", "El TipoIngresos no es válido."), Rejected, DocumentMalformed)),
        ("244", (spent("244", "El IndicadorFacturacion no es válido."), Rejected, LineRejected)),
        ("260", (spent("260", "El MontoITBISRetenido no es válido."), Rejected, TotalsRejected)),
        ("614", (spent("614", "El NCFModificado no ha sido emitido."), Delayed, ModifiedDocumentUnknown)),
        ("615", (spent("615", "El monto excede el balance del NCFModificado."), Rejected, CreditBalanceExceeded)),
        ("634", (spent("634", "La FechaNCFModificado no es válida."), Rejected, DocumentMalformed)),
        (
            "1381",
            (
                Text(large_consumer().with("<RNCComprador>00100000017</RNCComprador>", "")),
                Rejected,
                BuyerTaxIdNotRegistered,
            ),
        ),
        ("1385", (Text(credit().with("101000007", "101000008")), Rejected, BuyerTaxIdNotRegistered)),
        ("1934", (spent("1934", "El MontoGravadoI1 no coincide con el detalle."), Rejected, TotalsRejected)),
        ("1960", (Text(credit().with("<MontoExento>75.00</MontoExento>", "")), Rejected, TotalsRejected)),
        ("1964", (spent("1964", "El MontoExento no coincide con el detalle."), Rejected, TotalsRejected)),
        ("2020", (spent("2020", "La TablaSubDescuento no es válida."), Rejected, LineRejected)),
        ("2030", (spent("2030", "La TablaSubRecargo no es válida."), Rejected, LineRejected)),
        ("2150", (spent("2150", "La TablaSubcantidad no es válida."), Rejected, LineRejected)),
        ("3205", (Text(summary().with("<MontoTotal>2169.48", "<MontoTotal>2179.48")), Rejected, TotalsRejected)),
        ("3243", (spent("3243", "La longitud del nombre del archivo no es válida."), Rejected, DocumentMalformed)),
        ("11170", (spent("11170", "El TotalISRRetencion no es válido."), Rejected, TotalsRejected)),
        ("delegad", (NotDelegated, Delayed, IssuerNotAuthorized)),
        ("certificado", (CertificateEnded, Delayed, CertificateInvalid)),
        ("secuencia vencida", (unspent("Secuencia vencida."), Delayed, SequenceExpired)),
        ("vencimiento", (unspent("La fecha de vencimiento no es válida."), Delayed, SequenceExpired)),
        ("no autorizad", (unspent("Secuencia no autorizada."), Delayed, IssuerNotAuthorized)),
        ("no esta autorizad", (unspent("La secuencia no está autorizada."), Delayed, IssuerNotAuthorized)),
        ("fechahorafirma", (Text(credit().with("08:00:00", "08:01:01")), Delayed, ClockSkew)),
        ("fecha y hora de firma", (spent("0", "La fecha y hora de firma es futura."), Delayed, ClockSkew)),
        ("firma", (Altered, Rejected, DocumentMalformed)),
        ("estructura", (Text(credit().with("<TipoPago>1</TipoPago>", "")), Rejected, DocumentMalformed)),
        ("esquema", (BreaksSchema(credit().with("<TipoIngresos>01", "<TipoIngresos>99")), Rejected, DocumentMalformed)),
        (
            "fechaemision",
            (Text(credit().with("<FechaEmision>01-03-2026", "<FechaEmision>02-03-2026")), Rejected, IssueDateRejected),
        ),
        ("fecha de emision", (spent("0", "La fecha de emisión no es válida."), Rejected, IssueDateRejected)),
        ("rnccomprador", (spent("0", "El RNCComprador no existe."), Rejected, BuyerTaxIdNotRegistered)),
        ("comprador", (spent("0", "El comprador no está activo."), Rejected, BuyerTaxIdNotRegistered)),
        ("rncemisor", (unspent("El RNCEmisor no está activo."), Delayed, IssuerNotAuthorized)),
        ("emisor", (unspent("El emisor no es electrónico."), Delayed, IssuerNotAuthorized)),
        ("item", (Text(credit().with(other_tax, &other_tax.replace("001", "002"))), Rejected, LineRejected)),
        ("linea", (Text(credit().with("</DetallesItems>", adjustment)), Rejected, LineRejected)),
        (
            "impuesto",
            (Text(credit().with("<TasaImpuestoAdicional>10", "<TasaImpuestoAdicional>11")), Rejected, TotalsRejected),
        ),
        ("monto", (Text(credit().with("<MontoGravadoI2>180.15</MontoGravadoI2>", "")), Rejected, TotalsRejected)),
        ("total", (Text(credit().with("<ITBIS1>18", "<ITBIS1>17")), Rejected, TotalsRejected)),
    ])
}

const fn spent(code: &'static str, message: &'static str) -> Cause {
    Cause::Forced { code, message, is_number_spent: true }
}

const fn unspent(message: &'static str) -> Cause {
    Cause::Forced { code: "0", message, is_number_spent: false }
}

impl Cause {
    fn paper(&self) -> UnsignedDocument {
        match self {
            Self::Text(paper) | Self::BreaksSchema(paper) | Self::NumbersOfOthers(paper) => paper.clone(),
            _ => fiscal_credit(),
        }
    }

    /// Creates the cause, and returns the bytes to send.
    async fn prepare(&self, bench: &Bench, counter: &AuthorityHarness) -> Vec<u8> {
        let paper = self.paper();
        let xml = counter.signed(&paper).await.xml;
        match self {
            Self::Text(_) | Self::BreaksSchema(_) => {}
            Self::NumbersOfOthers(_) => counter.backend.grant(&issuer(), DocumentKind::Government, 1, 1),
            Self::CertificateEnded => {
                bench.clock.set(*ANA_ENDS - TimeDelta::minutes(1));
                bench.enter().await;
                bench.clock.set(*ANA_ENDS + TimeDelta::minutes(1));
            }
            Self::NotDelegated => bench.control(Method::PUT, "manner", r#"{"delegatesNobody":true}"#).await,
            Self::Altered => return xml.replacen("COMPRADOR, SRL", "COMPRADOR SRL", 1).into_bytes(),
            Self::NumberOfAnother => {
                assert_eq!(counter.verdict(&paper.with("COMPRADOR, SRL", "OTRO, SRL")).await, ACCEPTED);
                bench.clock.advance(TimeDelta::minutes(15));
            }
            Self::Forced { code, message, is_number_spent } => {
                let refusal = json!({ "code": code, "message": message, "isNumberSpent": is_number_spent });
                bench.control(Method::PUT, "manner", &json!({ "refusal": refusal }).to_string()).await;
            }
        }
        xml.into_bytes()
    }
}

/// Submits a document, and returns the document in its final state.
async fn ends(cause: &Cause) -> (FiscalDocument, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let bench = match cause {
        Cause::BreaksSchema(_) => Bench::with_schemas(folder.path()).await,
        _ => Bench::new().await,
    };
    let counter = bench.counter();
    let paper = cause.paper();
    let xml = cause.prepare(&bench, &counter).await;
    let code = security_code(&paper, &counter.signed(&paper).await);
    let submission = submission(&paper, xml);

    let mut document = sample::paid(1).document;
    document.numbered(sample::numbered(1), sample::noon()).unwrap();
    document.signed(sample::signed(1), sample::noon()).unwrap();
    document.submitting(bench.clock.now()).unwrap();
    let (mut verdict, mut texts) = (bench.dgii.submit(submission).await, Vec::new());
    for _ in 0..10 {
        if let Verdict::Rejected { authority_messages: messages, .. } = &verdict {
            texts = messages.iter().map(|it| it.message.clone()).collect();
        }
        document.apply_verdict(verdict.clone(), bench.clock.now()).unwrap();
        let receipt = match verdict {
            Verdict::InProcess { track_id } => track_id,
            Verdict::Duplicate => None,
            _ => break,
        };
        bench.clock.advance(TimeDelta::seconds(15));
        verdict = counter.ask(&paper, &code, receipt).await;
    }
    (document, texts)
}

#[tokio::test]
async fn every_refusal_rule_decides_over_http() {
    let mut cases = cases();
    let mut tried = tokio::task::JoinSet::new();
    for (rule, problem) in refusal_rules() {
        let case = cases.remove(rule);
        let (cause, status, expected) = case.unwrap_or_else(|| panic!("the rule {rule:?} ({problem:?}) has no case"));
        tried.spawn(async move {
            let (document, texts) = ends(&cause).await;

            let ended = match document.stage() {
                DocumentStage::Delayed(_, problem) => problem.code,
                DocumentStage::Rejected(rejection) => rejection.problem.code,
                other => panic!("{rule}: {other:?}"),
            };
            assert_eq!((document.status(), ended), (status, expected), "{rule}: {texts:?}");
            assert_eq!(ended, problem, "{rule} decides");
            decides(rule, &texts);
        });
    }
    assert!(cases.is_empty(), "cases without a rule: {:?}", cases.keys());
    assert_eq!(tried.join_all().await.len(), refusal_rules().count());
}

/// Checks that the words of the rule decide, and no earlier rule matches the same text.
fn decides(rule: &str, texts: &[String]) {
    let is_code = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    let plain =
        |text: &str| text.to_lowercase().replace(['á'], "a").replace('é', "e").replace('í', "i").replace('ó', "o");
    if is_code(rule) || texts.is_empty() {
        return;
    }
    let text = plain(&texts.join(" "));
    let first = refusal_rules().map(|(it, _)| it).find(|it| !is_code(it) && text.contains(it));
    assert_eq!(first, Some(rule), "{texts:?}");
}
