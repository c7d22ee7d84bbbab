//! The address that a printed document's QR code opens: anyone can check the document there.

use super::{FiscalDocument, Numbered, Route, Signed};
use crate::Money;

/// Returns the URL of the authority's page about `document`.
///
/// Parameter order and spelling are the authority's (technical description of the e-CF services). The amount is the
/// text of the document, a space is `%20`, and characters of the security code other than letters and digits are
/// escaped.
pub fn verification_url(document: &FiscalDocument, numbered: &Numbered, signed: &Signed) -> String {
    let environment = document.facts.environment.as_str();
    let issuer = document.facts.issuer.rnc.as_str();
    let number = numbered.number.as_str();
    let total = Money::decimal_text(document.total_in_pesos());
    let code = escaped(&signed.security_code);
    if document.route() == Route::Summary {
        return format!(
            "https://fc.dgii.gov.do/{environment}/ConsultaTimbreFC?RncEmisor={issuer}&ENCF={number}\
             &MontoTotal={total}&CodigoSeguridad={code}"
        );
    }
    let buyer = document.content().buyer.as_ref();
    let buyer = buyer.map_or_else(String::new, |it| format!("&RncComprador={}", it.tax_id.as_str()));
    let issue_date = numbered.issue_date.format("%d-%m-%Y");
    let signed_at = super::local_time(signed.at).format("%d-%m-%Y%%20%H:%M:%S");
    format!(
        "https://ecf.dgii.gov.do/{environment}/ConsultaTimbre?RncEmisor={issuer}{buyer}&ENCF={number}\
         &FechaEmision={issue_date}&MontoTotal={total}&FechaFirma={signed_at}&CodigoSeguridad={code}"
    )
}

fn escaped(code: &str) -> String {
    let spell = |byte: u8| {
        if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    code.bytes().map(spell).collect()
}
