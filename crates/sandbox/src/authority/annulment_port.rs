use std::sync::Arc;

use async_trait::async_trait;
use domain::fiscal::{AnnulmentVerdict, Observation};
use ports::{RangeAuthority, SignedAnnulment};

use super::{
    annulment::{AnnulmentRefusal, AnnulmentRequest},
    element::MalformedXml,
    simulated::Authority,
};
use crate::{
    blocking::run_blocking,
    faults::{Fault, Target},
};

/// Schema of annulments.
const SCHEMA: &str = "ANECF v.1.0.xsd";

#[async_trait]
impl RangeAuthority for Authority {
    async fn annul(&self, sent: SignedAnnulment) -> AnnulmentVerdict {
        let fault = self.faults.take(Target::Authority);
        if fault == Some(Fault::BeforeRequest) {
            return AnnulmentVerdict::Unavailable;
        }
        let verdict = match self.take_back(sent).await {
            Ok(()) => AnnulmentVerdict::Annulled(words("1", "Secuencias anuladas.")),
            Err(why) => AnnulmentVerdict::Refused(words("2", why.sentence())),
        };
        if fault.is_some() { AnnulmentVerdict::Unknown(Vec::new()) } else { verdict }
    }
}

impl Authority {
    async fn take_back(&self, sent: SignedAnnulment) -> Result<(), AnnulmentRefusal> {
        let now = self.clock.now();
        let signatory = self.signer.verify(&sent.xml).await;
        let signatory = signatory.map_err(|_| AnnulmentRefusal::Wrong("La firma no es válida."))?;
        if !(signatory.not_before <= now && now <= signatory.not_after) {
            return Err(AnnulmentRefusal::Wrong("El certificado no es válido."));
        }
        let request = AnnulmentRequest::of(&sent).map_err(|MalformedXml(why)| AnnulmentRefusal::Wrong(why))?;
        if let Some(schemas) = &self.schemas
            && !schemas.follows(SCHEMA, sent.xml).await
        {
            return Err(AnnulmentRefusal::Wrong("Estructura XML inválida."));
        }
        let registry = Arc::clone(&self.registry);
        let annulled = run_blocking(registry.is_on_disk(), move || registry.annul(&request, now)).await;
        annulled.and_then(Result::ok).unwrap_or(Err(AnnulmentRefusal::Wrong("Registro inválido.")))
    }
}

fn words(code: &str, message: &str) -> Vec<Observation> {
    vec![Observation { code: code.to_owned(), message: message.to_owned() }]
}
