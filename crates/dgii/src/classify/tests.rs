//! Responses in every known form, and their verdicts.

use domain::fiscal::DocumentKind;

use super::*;

const PAGE: &str = "<!DOCTYPE html><html><body>ERROR</body></html>";

fn response(status: u16, body: &str) -> HttpResult {
    HttpResult::Response { status, body: Body::parse(body.as_bytes()) }
}

fn with_expected<T>(check: impl FnOnce(ExpectedDocument<'_>) -> T) -> T {
    let issuer = TaxId::parse("130000001").unwrap();
    let number = FiscalNumber::new(DocumentKind::FiscalCredit, 1).unwrap();
    check(ExpectedDocument { issuer: &issuer, number: &number })
}

fn sent(status: u16, body: &str) -> Verdict {
    without_messages(with_expected(|expected| submission_verdict(&response(status, body), expected)))
}

/// Removes DGII's messages from a verdict.
fn without_messages(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Rejected { code, is_number_spent, .. } => rejected(code, is_number_spent),
        other => other,
    }
}

fn found(status: u16, body: &str) -> Option<Verdict> {
    with_expected(|expected| look_up_verdict(&response(status, body), expected, Some("t-1"))).map(without_messages)
}

fn in_process(track_id: &str) -> Verdict {
    Verdict::InProcess { track_id: Some(track_id.to_owned()) }
}

fn remarks(code: &str, message: &str) -> Verdict {
    let remark = Observation { code: code.to_owned(), message: message.to_owned() };
    Verdict::Accepted(Acceptance::WithObservations(vec![remark]))
}

const fn rejected(code: ProblemCode, is_number_spent: bool) -> Verdict {
    Verdict::Rejected { code, is_number_spent, authority_messages: Vec::new() }
}

const ACCEPTED: Verdict = Verdict::Accepted(Acceptance::Accepted);

#[test]
fn a_missing_response_is_unknown_and_a_missing_connection_is_unavailable() {
    with_expected(|expected| {
        assert_eq!(submission_verdict(&HttpResult::NotConnected, expected), Verdict::Unavailable);
        assert_eq!(submission_verdict(&HttpResult::Interrupted, expected), Verdict::Unknown);
        assert_eq!(look_up_verdict(&HttpResult::NotConnected, expected, None), None);
        assert_eq!(look_up_verdict(&HttpResult::Interrupted, expected, None), None);
    });
}

#[test]
fn a_receipt_means_in_process() {
    for body in [
        r#"{"trackId":"a-b","error":null,"mensaje":null}"#,
        r#"{"trackid":"a-b","error":"","mensaje":""}"#,
        r#"{"TrackId":" a-b "}"#,
        "<RespuestaRecepcion><trackId>a-b</trackId><error/><mensaje/></RespuestaRecepcion>",
    ] {
        assert_eq!(sent(200, body), in_process("a-b"), "{body}");
    }
}

#[test]
fn a_summary_gets_a_verdict_at_once() {
    let answer = |code: &str, state: &str, messages: &str, used: &str| {
        let fields = format!(r#""codigo":{code},"estado":"{state}","mensajes":{messages}"#);
        sent(200, &format!(r#"{{{fields},"encf":"E310000000001","secuenciaUtilizada":{used}}}"#))
    };

    assert_eq!(answer("1", "Aceptado", r#"[{"codigo":"0","valor":""}]"#, "true"), ACCEPTED);
    let remark = r#"[{"codigo":1934,"valor":"MontoGravadoI1"}]"#;
    assert_eq!(answer("4", "Aceptado Condicional", remark, "true"), remarks("1934", "MontoGravadoI1"));
    let refusal = r#"[{"codigo":"3205","valor":"MontoTotal no válido"}]"#;
    assert_eq!(answer("2", "Rechazado", refusal, "true"), rejected(ProblemCode::TotalsRejected, true));
    let unspent = r#"[{"codigo":"75","valor":""}]"#;
    assert_eq!(answer("\"2\"", "Rechazado", unspent, "false"), rejected(ProblemCode::IssuerNotAuthorized, false));
    assert_eq!(answer("2", "Rechazado", r#"["1209"]"#, "true"), rejected(ProblemCode::UnclassifiedRejection, true));
    assert_eq!(answer("2", "Rechazado", r#"[{"codigo":1209,"valor":"usada"}]"#, "true"), Verdict::Duplicate);
    assert_eq!(answer("0", "No encontrado", "[]", "false"), Verdict::Unknown);
}

#[test]
fn a_refusal_without_a_state_counts_only_with_a_known_reason() {
    let malformed = rejected(ProblemCode::DocumentMalformed, true);
    for (status, body, verdict) in [
        (400, r#"{"trackId":null,"error":"3243","mensaje":"Longitud del nombre no válida"}"#, Verdict::Unknown),
        (400, r#"{"mensajes":[{"codigo":3243,"valor":"nombre"}]}"#, malformed.clone()),
        (200, r#"{"trackId":"","error":"x","mensaje":"La estructura del XML no es válida"}"#, malformed.clone()),
        (400, r#""Firma inválida""#, malformed.clone()),
        (400, "El certificado no es válido", rejected(ProblemCode::CertificateInvalid, true)),
        (
            400,
            r#"{"mensaje":"Firma inválida","secuenciaUtilizada":false}"#,
            rejected(ProblemCode::DocumentMalformed, false),
        ),
        (400, r#"{"mensajes":[{"codigo":"1209","valor":"La secuencia ya fue utilizada"}]}"#, Verdict::Duplicate),
        (400, r#"{"message":"Intente más tarde"}"#, Verdict::Unknown),
        (400, PAGE, Verdict::Unknown),
        (400, "", Verdict::Unknown),
        (200, "{}", Verdict::Unknown),
        (200, PAGE, Verdict::Unknown),
    ] {
        assert_eq!(sent(status, body), verdict, "{status} {body}");
    }
}

#[test]
fn a_refusal_contains_dgiis_messages() {
    let messages_of = |verdict| match verdict {
        Verdict::Rejected { authority_messages, .. } => {
            authority_messages.into_iter().map(|it| (it.code, it.message)).collect()
        }
        other => panic!("{other:?}"),
    };
    let words = |code: &str, message: &str| vec![(code.to_owned(), message.to_owned())];

    let body = r#"{"codigo":2,"mensajes":[{"codigo":1385,"valor":"El RNC no existe"}]}"#;
    let found = with_expected(|expected| look_up_verdict(&response(200, body), expected, None)).unwrap();
    let refused = with_expected(|expected| submission_verdict(&response(400, "Firma inválida"), expected));
    let messages: Vec<(String, String)> = messages_of(found);
    assert_eq!(messages, words("1385", "El RNC no existe"));
    assert_eq!(messages_of(refused), words("0", "Firma inválida"));
}

/// In these cases the adapter queries DGII for the receipts of the number.
#[test]
fn a_refusal_without_number_use_leaves_the_number_open_if_its_reason_spends_none() {
    let open = |status, body: &str, code| leaves_number_open(&response(status, body), code);

    assert!(open(400, "El certificado no es válido", ProblemCode::CertificateInvalid));
    assert!(open(400, r#"{"mensaje":"La estructura no es válida"}"#, ProblemCode::DocumentMalformed));
    assert!(!open(400, r#"{"mensaje":"El monto no coincide"}"#, ProblemCode::TotalsRejected));
    assert!(!open(400, r#"{"mensaje":"Firma","secuenciaUtilizada":true}"#, ProblemCode::DocumentMalformed));
    assert!(!open(200, r#"{"codigo":2,"mensajes":["Firma"]}"#, ProblemCode::DocumentMalformed), "a verdict spends it");
    assert!(!open(400, PAGE, ProblemCode::DocumentMalformed));
}

#[test]
fn the_status_shows_whether_dgii_processed_the_document() {
    for (status, verdict) in [
        (401, Verdict::Blocked(ProblemCode::IssuerNotAuthorized)),
        (404, Verdict::Unavailable),
        (405, Verdict::Unavailable),
        (429, Verdict::Unavailable),
        (301, Verdict::Unknown),
        (408, Verdict::Unknown),
        (500, Verdict::Unknown),
        (502, Verdict::Unknown),
        (503, Verdict::Unknown),
    ] {
        for body in ["", PAGE, r#"{"trackId":"a"}"#] {
            assert_eq!(sent(status, body), verdict, "{status} {body}");
        }
    }
    assert_eq!(sent(403, PAGE), Verdict::Unavailable);
    assert_eq!(sent(403, ""), Verdict::Blocked(ProblemCode::IssuerNotAuthorized));
}

#[test]
fn a_result_is_parsed_in_every_format() {
    for body in [
        r#"{"trackId":"t-1","codigo":"1","estado":"Aceptado","rnc":"130000001","encf":"E310000000001","secuenciaUtilizada":true,"fechaRecepcion":"8/15/2023 6:06:57 AM","mensajes":[{"valor":"","codigo":0}]}"#,
        r#"{"codigo":1,"estado":"Aceptado","mensajes":null}"#,
        r#"{"codigo":"01"}"#,
        r#"{"Estado":"aceptado","eNCF":"E310000000001"}"#,
        "<R><codigo>1</codigo><estado>Aceptado</estado><encf>E310000000001</encf><mensajes/></R>",
    ] {
        assert_eq!(found(200, body), Some(ACCEPTED), "{body}");
    }
    for (body, verdict) in [
        (r#"{"codigo":"0","estado":"No encontrado"}"#, Verdict::NotFound),
        (r#"{"codigo":3,"estado":"En Proceso"}"#, in_process("t-1")),
        (r#"{"codigo":3,"trackId":"t-2"}"#, in_process("t-2")),
        (r#"{"codigo":4,"mensajes":[{"valor":"a","codigo":7}]}"#, remarks("7", "a")),
        (r#"{"codigo":4}"#, Verdict::Accepted(Acceptance::WithObservations(Vec::new()))),
        (r#"{"codigo":2,"mensajes":["Algo"]}"#, rejected(ProblemCode::UnclassifiedRejection, true)),
        (
            r#"{"codigo":2,"secuenciaUtilizada":"false","mensajes":[{"valor":"","codigo":145}]}"#,
            rejected(ProblemCode::SequenceExpired, false),
        ),
        (r#"{"codigo":2,"mensajes":[{"valor":"","codigo":1209}]}"#, Verdict::Duplicate),
    ] {
        assert_eq!(found(200, body), Some(verdict), "{body}");
    }
    assert_eq!(found(404, r#"{"codigo":0,"estado":"No encontrado"}"#), Some(Verdict::NotFound));
}

#[test]
fn a_response_of_another_document_or_with_contradictions_is_ignored() {
    for body in [
        r#"{"codigo":1,"encf":"E310000000002"}"#,
        r#"{"codigo":1,"rnc":"131000001"}"#,
        r#"{"codigo":1,"estado":"Rechazado"}"#,
        r#"{"codigo":9}"#,
        r#"{"mensaje":"Aceptado"}"#,
        "[]",
        PAGE,
        "",
    ] {
        assert_eq!(found(200, body), None, "{body}");
    }
    assert_eq!(found(500, r#"{"codigo":1}"#), None);
    assert_eq!(sent(200, r#"{"codigo":1,"encf":"E310000000002"}"#), Verdict::Unknown);
}

#[test]
fn the_security_code_identifies_our_document() {
    let ours = |body: &str| with_expected(|expected| is_ours(&response(200, body), expected, "aB+/1z"));

    assert_eq!(ours(r#"{"codigo":1,"codigoSeguridad":"aB+/1z"}"#), Some(true));
    assert_eq!(ours(r#"{"codigo":1}"#), Some(true));
    assert_eq!(ours(r#"{"codigo":1,"codigoSeguridad":"ab+/1z"}"#), Some(false));
    assert_eq!(ours(r#"{"codigo":0}"#), Some(false));
    for unclear in [r#"{"codigo":2}"#, r#"{"codigo":1,"ncfElectronico":"E310000000002"}"#, PAGE, ""] {
        assert_eq!(ours(unclear), None, "{unclear}");
    }
}

#[test]
fn only_a_not_found_response_means_an_empty_list() {
    let nothing = |body: &str| match Body::parse(body.as_bytes()) {
        Body::Content(response) => is_not_found(&response),
        _ => panic!("{body}"),
    };

    assert!(nothing(r#"{"codigo":0,"estado":"No encontrado"}"#));
    assert!(nothing(r#"{"mensaje":"No se encontraron resultados"}"#));
    assert!(!nothing(r#"{"title":"Not Found","status":404}"#));
    assert!(!nothing(r#"{"codigo":1}"#));
    assert!(!nothing(r#"[{"nombre":"Reencontrados, SRL"}]"#));
}
