//! Numbers that were never given, given back to DGII (ANECF): what is written, sent and made of the answer.

use async_trait::async_trait;
use domain::fiscal::{Annulment, AnnulmentVerdict, FiscalNumber, Observation, ProblemCode, TaxId, local_time};
use ports::{Malformed, RangeAuthority, SignedAnnulment};

use crate::{
    Dgii,
    answer::{Answer, Body},
    classify::Wire,
    codes,
    connection::Service,
    form::Form,
    sheet::Sheet,
    token::Barrier,
};

/// What an annulment is known to be called.
const STATES: [&str; 2] = ["Aceptado", "Rechazado"];
/// Words in small letters without accents by which numbers are known to be taken back.
const TAKEN: &[&str] = &["aceptad", "anulad", "procesad", "exitos"];
/// Words by which they are known not to be.
const NOT_TAKEN: &[&str] = &["rechazad", "utilizad", "usad", "no autorizad", "invalid", "no valid", "no es valid"];

/// The annulment in DGII's format, to be signed. One range, in one line.
pub(crate) fn write(annulment: &Annulment) -> Result<String, Malformed> {
    let rule = "a number has one to ten digits";
    let number = |sequence, element| FiscalNumber::new(annulment.kind, sequence).ok_or(Malformed { element, rule });
    let (first, last) = (number(annulment.first, "SecuenciaeNCFDesde")?, number(annulment.last, "SecuenciaeNCFHasta")?);
    let count = annulment.count().to_string();

    let mut sheet = Sheet::begin();
    sheet.group("ANECF", |sheet| {
        sheet.group("Encabezado", |sheet| {
            sheet.code("Version", "1.0")?;
            sheet.code("RncEmisor", annulment.issuer.as_str())?;
            sheet.code("CantidadeNCFAnulados", &count)?;
            sheet.instant("FechaHoraAnulacioneNCF", local_time(annulment.intended_at))
        })?;
        sheet.group("DetalleAnulacion", |sheet| {
            sheet.group("Anulacion", |sheet| {
                sheet.code("NoLinea", "1")?;
                sheet.code("TipoeCF", &annulment.kind.ecf_type().to_string())?;
                sheet.group("TablaRangoSecuenciasAnuladaseNCF", |sheet| {
                    sheet.group("Secuencias", |sheet| {
                        sheet.code("SecuenciaeNCFDesde", first.as_str())?;
                        sheet.code("SecuenciaeNCFHasta", last.as_str())
                    })
                })?;
                sheet.code("CantidadeNCFAnulados", &count)
            })
        })
    })?;
    Ok(sheet.finish())
}

#[async_trait]
impl RangeAuthority for Dgii {
    async fn annul(&self, sent: SignedAnnulment) -> AnnulmentVerdict {
        let SignedAnnulment { is_again, tenant, environment, issuer, file_name, xml } = sent;
        if !Service::Annulments.is_offered(environment) {
            let message = "numbers of the certification cannot be given back".to_owned();
            return AnnulmentVerdict::Refused(vec![Observation { code: "0".to_owned(), message }]);
        }
        let form = Form::with(&file_name, &xml);
        let verdict = match self.ask(&tenant, (Service::Annulments, environment), "", Some(&form)).await {
            Ok(seen) => answered(&seen, &issuer, is_again),
            Err(Barrier::Unreachable) => AnnulmentVerdict::Unavailable,
            Err(Barrier::Barred(code)) => AnnulmentVerdict::Blocked(code),
        };
        tracing::info!(issuer = issuer.as_str(), file_name, ?verdict, "DGII was told of numbers that are given back");
        verdict
    }
}

/// What an answer means. DGII documents its shape and not its values, so that only what is plain counts: anything else is
/// a doubt, and its words are kept for a person.
fn answered(seen: &Wire, issuer: &TaxId, is_again: bool) -> AnnulmentVerdict {
    let (status, body) = match seen {
        Wire::NotConnected => return AnnulmentVerdict::Unavailable,
        Wire::Broken => return AnnulmentVerdict::Unknown(Vec::new()),
        Wire::Answered { status, body } => (*status, body),
    };
    match (status, body) {
        (200..=299 | 400 | 422, Body::Said(answer)) => said(answer, status < 300, (issuer, is_again)),
        (403, Body::Page) => AnnulmentVerdict::Unavailable,
        (401 | 403, _) => AnnulmentVerdict::Blocked(ProblemCode::IssuerNotAuthorized),
        (404 | 405 | 429, _) => AnnulmentVerdict::Unavailable,
        _ => AnnulmentVerdict::Unknown(Vec::new()),
    }
}

fn said(answer: &Answer, is_success: bool, (issuer, is_again): (&TaxId, bool)) -> AnnulmentVerdict {
    let mut words = answer.messages();
    let code = answer.text(&["codigo"]).unwrap_or_else(|| "0".to_owned());
    // A name may be the taxpayer's own.
    let named = || answer.text(&["nombre"]).filter(|it| STATES.iter().any(|state| it.eq_ignore_ascii_case(state)));
    let told = answer.text(&["estado"]).or_else(named);
    words.extend(told.map(|message| Observation { code: code.clone(), message }));
    if answer.text(&["rnc"]).is_some_and(|it| it != issuer.as_str()) {
        return AnnulmentVerdict::Unknown(words);
    }
    let says =
        |table: &[&str]| words.iter().any(|it| table.iter().any(|word| codes::plain_words(&it.message).contains(word)));
    // Who was not heard asks again, and hears that it was done. Who asks for the first time hears that somebody else has
    // given some of the numbers back: then none of it was taken.
    let is_done_before = says(&["ya fue anulad", "ya fueron anulad", "ya esta anulad", "ya estan anulad"]);
    let is_refused = code.trim_start_matches('0') == "2" || says(NOT_TAKEN) || codes::says_used(&words);
    match (is_success, is_done_before, is_refused) {
        (_, true, _) if is_again => AnnulmentVerdict::Annulled(words),
        (_, true, _) => AnnulmentVerdict::Refused(words),
        (_, _, true) => AnnulmentVerdict::Refused(words),
        (true, _, false) if says(TAKEN) && !says(&["no fue", "no fueron", "no se"]) => {
            AnnulmentVerdict::Annulled(words)
        }
        _ => AnnulmentVerdict::Unknown(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuer() -> TaxId {
        TaxId::parse("130000001").unwrap()
    }

    fn after(status: u16, body: &str) -> AnnulmentVerdict {
        answered(&Wire::Answered { status, body: Body::read(body.as_bytes()) }, &issuer(), true)
    }

    #[test]
    fn numbers_are_taken_back_only_if_that_is_plain() {
        for body in [
            r#"{"rnc":"130000001","codigo":"1","nombre":"Aceptado","mensajes":["Secuencias anuladas"]}"#,
            r#"{"rnc":"130000001","codigo":0,"nombre":"PRUEBA, SRL","mensajes":["Anulación procesada"]}"#,
            r#"{"codigo":"2","mensajes":["La secuencia ya fue anulada."]}"#,
        ] {
            assert!(matches!(after(200, body), AnnulmentVerdict::Annulled(_)), "{body}");
        }
        let before = r#"{"codigo":"2","nombre":"Rechazado","mensajes":["El rango ya fue anulado"]}"#;
        assert!(matches!(after(400, before), AnnulmentVerdict::Annulled(_)));
        let seen = Wire::Answered { status: 200, body: Body::read(before.as_bytes()) };
        let of_somebody_else = answered(&seen, &issuer(), false);
        assert!(matches!(of_somebody_else, AnnulmentVerdict::Refused(_)), "{of_somebody_else:?}");
    }

    #[test]
    fn a_refusal_is_told_with_its_words() {
        let used = after(200, r#"{"codigo":"2","nombre":"Rechazado","mensajes":["La secuencia fue utilizada"]}"#);
        let AnnulmentVerdict::Refused(words) = used else { panic!("{used:?}") };
        assert_eq!(words[0].message, "La secuencia fue utilizada");
        for body in [r#"{"mensajes":["Rango inválido"]}"#, r#"{"mensajes":[{"codigo":1209,"valor":"x"}]}"#] {
            assert!(matches!(after(400, body), AnnulmentVerdict::Refused(_)), "{body}");
        }
    }

    #[test]
    fn whatever_else_is_a_doubt_unless_nobody_can_have_heard() {
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
        assert!(matches!(answered(&Wire::Broken, &issuer(), false), AnnulmentVerdict::Unknown(_)));
        assert_eq!(answered(&Wire::NotConnected, &issuer(), false), AnnulmentVerdict::Unavailable);
        assert_eq!(after(404, "<html/>"), AnnulmentVerdict::Unavailable);
        assert_eq!(after(403, "{}"), AnnulmentVerdict::Blocked(ProblemCode::IssuerNotAuthorized));
    }
}
