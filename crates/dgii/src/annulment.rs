//! Annulment of unused numbers (ANECF): document, submission and response.

use async_trait::async_trait;
use domain::fiscal::{Annulment, AnnulmentVerdict, FiscalNumber, Observation, ProblemCode, TaxId, local_time};
use ports::{Malformed, RangeAuthority, SignedAnnulment};

use crate::{
    Dgii,
    classify::HttpResult,
    codes,
    connection::Service,
    form::Form,
    response::{Body, DgiiResponse},
    token::AccessError,
    xml_writer::XmlWriter,
};

/// Known states of an annulment.
const STATES: [&str; 2] = ["Aceptado", "Rechazado"];
/// Words of a successful annulment, in lower case without accents.
const ANNULLED: &[&str] = &["aceptad", "anulad", "procesad", "exitos"];
/// Words of a refused annulment.
const REFUSED: &[&str] = &["rechazad", "utilizad", "usad", "no autorizad", "invalid", "no valid", "no es valid"];

/// Writes the annulment of one range, ready to be signed.
pub(crate) fn write(annulment: &Annulment) -> Result<String, Malformed> {
    let rule = "a number has one to ten digits";
    let number = |sequence, element| FiscalNumber::new(annulment.kind, sequence).ok_or(Malformed { element, rule });
    let (first, last) = (number(annulment.first, "SecuenciaeNCFDesde")?, number(annulment.last, "SecuenciaeNCFHasta")?);
    let count = annulment.count().to_string();

    let mut xml = XmlWriter::begin();
    xml.group("ANECF", |xml| {
        xml.group("Encabezado", |xml| {
            xml.code("Version", "1.0")?;
            xml.code("RncEmisor", annulment.issuer.as_str())?;
            xml.code("CantidadeNCFAnulados", &count)?;
            xml.instant("FechaHoraAnulacioneNCF", local_time(annulment.intended_at))
        })?;
        xml.group("DetalleAnulacion", |xml| {
            xml.group("Anulacion", |xml| {
                xml.code("NoLinea", "1")?;
                xml.code("TipoeCF", &annulment.kind.ecf_type().to_string())?;
                xml.group("TablaRangoSecuenciasAnuladaseNCF", |xml| {
                    xml.group("Secuencias", |xml| {
                        xml.code("SecuenciaeNCFDesde", first.as_str())?;
                        xml.code("SecuenciaeNCFHasta", last.as_str())
                    })
                })?;
                xml.code("CantidadeNCFAnulados", &count)
            })
        })
    })?;
    Ok(xml.finish())
}

#[async_trait]
impl RangeAuthority for Dgii {
    async fn annul(&self, sent: SignedAnnulment) -> AnnulmentVerdict {
        let SignedAnnulment { is_again: is_retry, tenant, environment, issuer, file_name, xml } = sent;
        if !Service::Annulments.is_offered(environment) {
            let message = "numbers of the certification environment cannot be annulled".to_owned();
            return AnnulmentVerdict::Refused(vec![Observation { code: "0".to_owned(), message }]);
        }
        let form = Form::with(&file_name, &xml);
        let verdict = match self.send(&tenant, (Service::Annulments, environment), "", Some(&form)).await {
            Ok(result) => verdict(&result, &issuer, is_retry),
            Err(AccessError::Unreachable) => AnnulmentVerdict::Unavailable,
            Err(AccessError::Barred(code)) => AnnulmentVerdict::Blocked(code),
        };
        tracing::info!(issuer = issuer.as_str(), file_name, ?verdict, "annulment submitted to DGII");
        verdict
    }
}

/// Returns the verdict. DGII documents the form of the response and not the values, so only clear texts count; any
/// other response is unknown, and its messages are stored for a person.
fn verdict(result: &HttpResult, issuer: &TaxId, is_retry: bool) -> AnnulmentVerdict {
    let (status, body) = match result {
        HttpResult::NotConnected => return AnnulmentVerdict::Unavailable,
        HttpResult::Interrupted => return AnnulmentVerdict::Unknown(Vec::new()),
        HttpResult::Response { status, body } => (*status, body),
    };
    match (status, body) {
        (200..=299 | 400 | 422, Body::Content(response)) => read_response(response, status < 300, (issuer, is_retry)),
        (403, Body::Page) => AnnulmentVerdict::Unavailable,
        (401 | 403, _) => AnnulmentVerdict::Blocked(ProblemCode::IssuerNotAuthorized),
        (404 | 405 | 429, _) => AnnulmentVerdict::Unavailable,
        _ => AnnulmentVerdict::Unknown(Vec::new()),
    }
}

fn read_response(response: &DgiiResponse, is_success: bool, (issuer, is_retry): (&TaxId, bool)) -> AnnulmentVerdict {
    let mut messages = response.messages();
    let code = response.text(&["codigo"]).unwrap_or_else(|| "0".to_owned());
    // `nombre` may be the taxpayer's name.
    let named = || response.text(&["nombre"]).filter(|it| STATES.iter().any(|known| it.eq_ignore_ascii_case(known)));
    let state = response.text(&["estado"]).or_else(named);
    messages.extend(state.map(|message| Observation { code: code.clone(), message }));
    if response.text(&["rnc"]).is_some_and(|it| it != issuer.as_str()) {
        return AnnulmentVerdict::Unknown(messages);
    }
    let contain = |table: &[&str]| {
        messages.iter().any(|it| table.iter().any(|word| codes::plain_text(&it.message).contains(word)))
    };
    // On a retry, our first request was processed. On a first request, another system annulled some of the numbers
    // before, and DGII annulled none of ours.
    let is_annulled_before = contain(&["ya fue anulad", "ya fueron anulad", "ya esta anulad", "ya estan anulad"]);
    let is_refused = code.trim_start_matches('0') == "2" || contain(REFUSED) || codes::is_number_used(&messages);
    match (is_success, is_annulled_before, is_refused) {
        (_, true, _) if is_retry => AnnulmentVerdict::Annulled(messages),
        (_, true, _) => AnnulmentVerdict::Refused(messages),
        (_, _, true) => AnnulmentVerdict::Refused(messages),
        (true, _, false) if contain(ANNULLED) && !contain(&["no fue", "no fueron", "no se"]) => {
            AnnulmentVerdict::Annulled(messages)
        }
        _ => AnnulmentVerdict::Unknown(messages),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuer() -> TaxId {
        TaxId::parse("130000001").unwrap()
    }

    fn after(status: u16, body: &str) -> AnnulmentVerdict {
        verdict(&HttpResult::Response { status, body: Body::parse(body.as_bytes()) }, &issuer(), true)
    }

    #[test]
    fn numbers_are_annulled_only_if_the_response_is_clear() {
        for body in [
            r#"{"rnc":"130000001","codigo":"1","nombre":"Aceptado","mensajes":["Secuencias anuladas"]}"#,
            r#"{"rnc":"130000001","codigo":0,"nombre":"PRUEBA, SRL","mensajes":["Anulación procesada"]}"#,
            r#"{"codigo":"2","mensajes":["La secuencia ya fue anulada."]}"#,
        ] {
            assert!(matches!(after(200, body), AnnulmentVerdict::Annulled(_)), "{body}");
        }
        let before = r#"{"codigo":"2","nombre":"Rechazado","mensajes":["El rango ya fue anulado"]}"#;
        assert!(matches!(after(400, before), AnnulmentVerdict::Annulled(_)));
        let result = HttpResult::Response { status: 200, body: Body::parse(before.as_bytes()) };
        let first_attempt = verdict(&result, &issuer(), false);
        assert!(matches!(first_attempt, AnnulmentVerdict::Refused(_)), "{first_attempt:?}");
    }

    #[test]
    fn a_refusal_contains_dgiis_messages() {
        let used = after(200, r#"{"codigo":"2","nombre":"Rechazado","mensajes":["La secuencia fue utilizada"]}"#);
        let AnnulmentVerdict::Refused(messages) = used else { panic!("{used:?}") };
        assert_eq!(messages[0].message, "La secuencia fue utilizada");
        for body in [r#"{"mensajes":["Rango inválido"]}"#, r#"{"mensajes":[{"codigo":1209,"valor":"x"}]}"#] {
            assert!(matches!(after(400, body), AnnulmentVerdict::Refused(_)), "{body}");
        }
    }

    #[test]
    fn other_responses_are_unknown_unless_the_request_was_not_processed() {
        for (status, body) in [
            (200, r#"{"codigo":"1"}"#),
            (200, r#"{"mensajes":["Las secuencias no fueron procesadas"]}"#),
            (200, r#"{"rnc":"101000007","codigo":"1","nombre":"Aceptado"}"#),
            (400, r#"{"mensajes":["Aceptado"]}"#),
            (400, r#"{"mensaje":"Intente luego"}"#),
            (200, "<html>ERROR</html>"),
            (503, "{}"),
        ] {
            assert!(matches!(after(status, body), AnnulmentVerdict::Unknown(_)), "{status} {body}");
        }
        assert!(matches!(verdict(&HttpResult::Interrupted, &issuer(), false), AnnulmentVerdict::Unknown(_)));
        assert_eq!(verdict(&HttpResult::NotConnected, &issuer(), false), AnnulmentVerdict::Unavailable);
        assert_eq!(after(404, "<html/>"), AnnulmentVerdict::Unavailable);
        assert_eq!(after(403, "{}"), AnnulmentVerdict::Blocked(ProblemCode::IssuerNotAuthorized));
    }
}
