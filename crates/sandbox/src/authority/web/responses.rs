//! Response bodies of the authority.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::fiscal::{Observation, local_time};
use serde_json::{Value, json};
use url::form_urlencoded;

use crate::{
    authority::{reception::Reception, ruling::Ruling},
    server::Response,
};

pub(super) const SEED: &str = "autenticacion/api/autenticacion/semilla";
pub(super) const TOKEN: &str = "autenticacion/api/autenticacion/validarsemilla";
pub(super) const DOCUMENTS: &str = "recepcion/api/facturaselectronicas";
pub(super) const SUMMARIES: &str = "recepcionfc/api/recepcion/ecf";
pub(super) const ANNULMENTS: &str = "anulacionrangos/api/operaciones/anularrango";
pub(super) const RESULT: &str = "consultaresultado/api/consultas/estado";
pub(super) const STATUS: &str = "consultaestado/api/consultas/estado";
pub(super) const TRACKS: &str = "consultatrackids/api/trackids/consulta";
pub(super) const SUMMARY: &str = "consultarfce/api/consultas/consulta";
pub(super) const DIRECTORY: &str = "consultadirectorio/api/consultas/obtenerdirectorioporrnc";

/// Parameters of a query string.
pub(super) struct Query(BTreeMap<String, String>);

impl Query {
    /// Returns the value of a parameter in lower case; empty if missing.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }
}

pub(super) fn query(text: &str) -> Query {
    let pairs = form_urlencoded::parse(text.as_bytes());
    Query(pairs.map(|(name, value)| (name.to_ascii_lowercase(), value.into_owned())).collect())
}

/// Returns a seed, indented like the seeds of DGII. The JSON form, sent on request, cannot be signed.
pub(super) fn seed((value, date): &(String, String), as_json: bool) -> Response {
    if as_json {
        return Response::json(&json!({ "valor": value, "fecha": date }));
    }
    let text = format!(
        "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<SemillaModel \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\">\r\n  \
         <valor>{value}</valor>\r\n  <fecha>{date}</fecha>\r\n</SemillaModel>"
    );
    Response { status: 200, content_type: "application/xml; charset=utf-8", body: text.into_bytes() }
}

/// Refusal of a malformed request.
pub(super) fn refused(code: &str, message: &str) -> Response {
    Response { status: 400, ..Response::json(&json!({ "mensajes": [{ "codigo": code, "valor": message }] })) }
}

pub(super) fn receipt(track_id: &str) -> Response {
    Response::json(&json!({ "trackId": dashed(track_id), "error": null, "mensaje": null }))
}

pub(super) fn not_found() -> Value {
    json!({ "codigo": "0", "estado": "No encontrado", "secuenciaUtilizada": false, "mensajes": null })
}

pub(super) fn in_process(it: &Reception) -> Value {
    let mut value = about(it, "3", "En Proceso");
    value["secuenciaUtilizada"] = json!(false);
    value
}

/// Ruling on a document under a used number.
pub(super) fn used(issuer: &str, number: &str) -> Value {
    json!({
        "codigo": "2", "estado": "Rechazado", "rnc": issuer, "encf": number, "secuenciaUtilizada": true,
        "mensajes": [{ "valor": "La secuencia ya fue utilizada.", "codigo": 1209 }],
    })
}

/// Ruling on an annulment.
pub(super) fn annulled(issuer: &str, (code, name): (&str, &str), messages: &[Observation]) -> Response {
    let messages: Vec<&str> = messages.iter().map(|it| it.message.as_str()).collect();
    Response::json(&json!({ "rnc": issuer, "codigo": code, "nombre": name, "mensajes": messages }))
}

/// Ruling on a document or a summary.
pub(super) fn ruling(it: &Reception) -> Value {
    let messages = |all: &[Observation]| -> Value {
        all.iter().map(|it| json!({ "valor": it.message, "codigo": it.code })).collect()
    };
    let (code, state, messages) = match &it.ruling {
        Ruling::Accepted { remarks } if remarks.is_empty() => ("1", "Aceptado", json!([{ "valor": "", "codigo": 0 }])),
        Ruling::Accepted { remarks } => ("4", "Aceptado Condicional", messages(remarks)),
        Ruling::Rejected { reason, .. } => ("2", "Rechazado", messages(std::slice::from_ref(reason))),
    };
    let mut value = about(it, code, state);
    value["secuenciaUtilizada"] = json!(it.ruling.spends_the_number());
    value["mensajes"] = messages;
    value
}

/// Result of a query by number and security code.
pub(super) fn status(it: &Reception) -> Value {
    let (code, state) = match &it.ruling {
        Ruling::Accepted { .. } => (1, "Aceptado"),
        Ruling::Rejected { .. } => (2, "Rechazado"),
    };
    json!({
        "codigo": code, "estado": state, "rncEmisor": it.issuer.as_str(), "ncfElectronico": it.number.as_str(),
        "codigoSeguridad": it.security_code,
    })
}

pub(super) fn track(track_id: &str, state: &str, received_at: DateTime<Utc>) -> Value {
    json!({ "trackId": dashed(track_id), "estado": state, "fechaRecepcion": american(received_at) })
}

fn about(it: &Reception, code: &str, state: &str) -> Value {
    json!({
        "trackId": it.track_id.as_deref().map(dashed), "codigo": code, "estado": state, "rnc": it.issuer.as_str(),
        "encf": it.number.as_str(), "fechaRecepcion": american(it.received_at), "mensajes": null,
    })
}

/// Formats a local time in the American style.
fn american(at: DateTime<Utc>) -> String {
    local_time(at).format("%-m/%-d/%Y %-I:%M:%S %p").to_string()
}

/// Formats a tracking id as a UUID.
fn dashed(track_id: &str) -> String {
    let pieces = [0..8, 8..12, 12..16, 16..20, 20..32].map(|it| track_id.get(it).unwrap_or_default());
    pieces.join("-")
}
