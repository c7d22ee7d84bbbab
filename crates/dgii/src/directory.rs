//! Further services of DGII: token, and directory of electronic taxpayers.

use domain::fiscal::{Environment, TaxId};
use ports::{Tenant, Unavailable};

use crate::{
    Dgii,
    classify::{HttpResult, is_not_found},
    connection::Service,
    response::{Body, DgiiResponse},
    seed,
    token::AccessError,
};

/// A taxpayer that receives electronic documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElectronicReceiver {
    /// RNC or cédula.
    pub tax_id: TaxId,
    /// Registered name.
    pub name: String,
    /// URL for documents.
    pub reception_url: String,
    /// URL for approvals of the taxpayer's documents.
    pub approval_url: Option<String>,
}

impl Dgii {
    /// Obtains a token for the tenant.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if DGII is not reached, or refuses the signer.
    pub async fn sign_in(&self, tenant: &Tenant, environment: Environment) -> Result<(), Unavailable> {
        let token = self.tokens.get(&self.http, (tenant, environment), None).await;
        token.map(drop).map_err(access_unavailable)
    }

    /// Requests a seed, for which no token is necessary.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if DGII is not reached, or returns no seed.
    pub async fn check_connection(&self, environment: Environment) -> Result<(), Unavailable> {
        match self.http.seed(environment).await {
            Ok((200, bytes)) if seed::compact(&bytes).is_some() => Ok(()),
            Ok((status, _)) => Err(Unavailable {
                what: "DGII",
                source: format!("its response to the request for a seed has status {status}").into(),
            }),
            Err(HttpResult::NotConnected) => Err(unclear("no connection could be made")),
            Err(_) => Err(unclear("its response was lost")),
        }
    }

    /// Returns the electronic taxpayer with this number, if there is one.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if the response is missing or unclear; always for certification.
    pub async fn find_receiver(
        &self,
        tenant: &Tenant,
        environment: Environment,
        tax_id: &TaxId,
    ) -> Result<Option<ElectronicReceiver>, Unavailable> {
        if !Service::Directory.is_offered(environment) {
            return Err(unclear("the directory is not offered for certification"));
        }
        let query = format!("?RNC={}", tax_id.as_str());
        let result = self.send(tenant, (Service::Directory, environment), &query, None).await;
        match result.map_err(access_unavailable)? {
            HttpResult::Response { status: 200..=299 | 404, body: Body::Content(response) } => {
                find_in_list(&response, tax_id).ok_or_else(|| unclear("the directory cannot be read"))
            }
            _ => Err(unclear("no clear response of the directory")),
        }
    }
}

/// Returns the taxpayer in a response; `None` if the response is unclear.
fn find_in_list(response: &DgiiResponse, tax_id: &TaxId) -> Option<Option<ElectronicReceiver>> {
    if is_not_found(response) {
        return Some(None);
    }
    for item in response.items()? {
        if item.text(&["rnc"])? == tax_id.as_str() {
            // Without a URL, no document can be sent to the taxpayer.
            let Some(reception_url) = item.text(&["urlRecepcion"]) else { return Some(None) };
            return Some(Some(ElectronicReceiver {
                tax_id: tax_id.clone(),
                name: item.text(&["nombre"]).unwrap_or_default(),
                reception_url,
                approval_url: item.text(&["urlAceptacion"]),
            }));
        }
    }
    Some(None)
}

fn access_unavailable(error: AccessError) -> Unavailable {
    unclear(match error {
        AccessError::Unreachable => "no connection could be made",
        AccessError::Barred(_) => "it refuses the signer",
    })
}

fn unclear(reason: &'static str) -> Unavailable {
    Unavailable { what: "DGII", source: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> DgiiResponse {
        match Body::parse(text.as_bytes()) {
            Body::Content(response) => response,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_receiver_is_read_from_a_list_or_an_object() {
        let of = |text: &str| find_in_list(&parse(text), &TaxId::parse("101000007").unwrap());
        let one = r#"{"nombre":"COMERCIAL","rnc":"101000007","urlRecepcion":"https://a.example","urlAceptacion":"","urlOpcional":null}"#;
        let expected = ElectronicReceiver {
            tax_id: TaxId::parse("101000007").unwrap(),
            name: "COMERCIAL".to_owned(),
            reception_url: "https://a.example".to_owned(),
            approval_url: None,
        };

        assert_eq!(of(one), Some(Some(expected.clone())));
        assert_eq!(of(&format!("[{one}]")), Some(Some(expected)));
        for none in ["[]", r#"{"mensaje":"No encontrado"}"#, &one.replace("101000007", "101000008")] {
            assert_eq!(of(none), Some(None), "{none}");
        }
        assert_eq!(of(&one.replace("https://a.example", "")), Some(None));
        assert_eq!(of("mantenimiento"), None);
    }
}
