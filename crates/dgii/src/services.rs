//! What else DGII can be asked: who takes documents electronically, and which of its services are up.

use domain::fiscal::{Environment, TaxId};
use ports::{Tenant, Unavailable};

use crate::{
    Dgii,
    answer::{Answer, Body},
    classify::{Wire, says_nothing_is_there},
    connection::Service,
    line::{Request, authorization},
    seed,
    token::Barrier,
};

/// A taxpayer that takes documents electronically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElectronicReceiver {
    /// Its number.
    pub tax_id: TaxId,
    /// Its name.
    pub name: String,
    /// Where it takes documents.
    pub reception_url: String,
    /// Where it takes approvals of its own documents.
    pub approval_url: Option<String>,
}

/// A service of DGII, and whether it is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceStatus {
    /// Its name at DGII.
    pub service: String,
    /// The environment at DGII, in its own words.
    pub environment: String,
    /// Whether it may be used.
    pub is_up: bool,
}

impl Dgii {
    /// Whether DGII lets a tenant in.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if it cannot be asked, or says no.
    pub async fn enter(&self, tenant: &Tenant, environment: Environment) -> Result<(), Unavailable> {
        let entered = self.tokens.get((&self.line, &self.connection), (tenant, environment), None).await;
        entered.map(drop).map_err(|barrier| unclear(barrier_words(barrier)))
    }

    /// Whether it gives a seed, which it gives to whoever asks.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if it cannot be asked, or gives none.
    pub async fn answers(&self, environment: Environment) -> Result<(), Unavailable> {
        let address = self.connection.address(Service::Seed, environment);
        match self.line.seed(&Request { address, form: None, authorization: None }).await {
            Ok((200, bytes)) if seed::stripped(&bytes).is_some() => Ok(()),
            Ok((status, _)) => {
                Err(Unavailable { what: "DGII", source: format!("it gave no seed, but status {status}").into() })
            }
            Err(Wire::NotConnected) => Err(unclear("no connection could be made")),
            Err(_) => Err(unclear("its answer was lost")),
        }
    }

    /// The electronic taxpayer of that number; `None` if it is none.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if DGII cannot be asked, or does not say; for certification it never does.
    pub async fn receiver(
        &self,
        tenant: &Tenant,
        environment: Environment,
        tax_id: &TaxId,
    ) -> Result<Option<ElectronicReceiver>, Unavailable> {
        if !Service::Directory.is_offered(environment) {
            return Err(unclear("the directory is not offered for certification"));
        }
        let query = format!("?RNC={}", tax_id.as_str());
        let seen = self.ask(tenant, (Service::Directory, environment), &query, None).await;
        match seen.map_err(|barrier| unclear(barrier_words(barrier)))? {
            Wire::Answered { status: 200..=299 | 404, body: Body::Said(answer) } => {
                listed(&answer, tax_id).ok_or_else(|| unclear("the directory makes no sense"))
            }
            _ => Err(unclear("the directory gave no clear answer")),
        }
    }

    /// Which services are up. The host that knows is asked only with a key of its own.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if there is no key, or no clear answer.
    pub async fn services(&self) -> Result<Vec<ServiceStatus>, Unavailable> {
        let key = self.connection.status_key.as_ref().ok_or_else(|| unclear("there is no key for the states"))?;
        let host = self.connection.status.trim_end_matches('/');
        let address = format!("{host}/api/estatusservicios/obtenerestatus");
        let authorization = authorization("Apikey", key);
        match self.line.ask(&Request { address, form: None, authorization }).await {
            Wire::Answered { status: 200..=299, body: Body::Said(answer) } => {
                states(&answer).ok_or_else(|| unclear("the states make no sense"))
            }
            _ => Err(unclear("the states were not told")),
        }
    }
}

/// Whom an answer lists under that number; `None` if that is not clear.
fn listed(answer: &Answer, tax_id: &TaxId) -> Option<Option<ElectronicReceiver>> {
    if says_nothing_is_there(answer) {
        return Some(None);
    }
    for item in answer.items()? {
        if item.text(&["rnc"])? == tax_id.as_str() {
            // Nothing is sent to who does not say where.
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

fn states(answer: &Answer) -> Option<Vec<ServiceStatus>> {
    let read = |it: &Answer| {
        let state = it.text(&["estatus", "estado"])?;
        Some(ServiceStatus {
            service: it.text(&["servicio"])?,
            environment: it.text(&["ambiente"]).unwrap_or_default(),
            is_up: state.eq_ignore_ascii_case("disponible"),
        })
    };
    answer.items()?.iter().map(read).collect()
}

const fn barrier_words(barrier: Barrier) -> &'static str {
    match barrier {
        Barrier::Unreachable => "it was not reached",
        Barrier::Barred(_) => "it does not let us in",
    }
}

fn unclear(why: &'static str) -> Unavailable {
    Unavailable { what: "DGII", source: why.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Answer {
        match Body::read(text.as_bytes()) {
            Body::Said(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_receiver_is_read_from_a_list_or_alone() {
        let of = |text: &str| listed(&said(text), &TaxId::parse("101000007").unwrap());
        let one = r#"{"nombre":"COMERCIAL","rnc":"101000007","urlRecepcion":"https://a.example","urlAceptacion":"","urlOpcional":null}"#;
        let expected = ElectronicReceiver {
            tax_id: TaxId::parse("101000007").unwrap(),
            name: "COMERCIAL".to_owned(),
            reception_url: "https://a.example".to_owned(),
            approval_url: None,
        };

        assert_eq!(of(one), Some(Some(expected.clone())));
        assert_eq!(of(&format!("[{one}]")), Some(Some(expected)));
        for nobody in ["[]", r#"{"mensaje":"No encontrado"}"#, &one.replace("101000007", "101000008")] {
            assert_eq!(of(nobody), Some(None), "{nobody}");
        }
        assert_eq!(of(&one.replace("https://a.example", "")), Some(None));
        assert_eq!(of("mantenimiento"), None);
    }

    #[test]
    fn a_service_is_up_only_if_that_is_said() {
        let answer = said(
            r#"[{"servicio":"Recepción","estatus":"Disponible","ambiente":"TesteCF"},
                {"servicio":"Consulta","estatus":"No disponible","ambiente":"eCF"}]"#,
        );
        let states = states(&answer).unwrap();

        assert_eq!(states.iter().map(|it| it.is_up).collect::<Vec<_>>(), [true, false]);
        assert_eq!((states[0].service.as_str(), states[0].environment.as_str()), ("Recepción", "TesteCF"));
    }
}
