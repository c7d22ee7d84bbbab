use domain::{rights::Right, sale::Sale};

use crate::{
    Caller, Error, Ports,
    command::{SaleName, find},
};

/// Returns a fiscal document, for its merchant or for the holder of the receipt.
pub async fn get_fiscal_document(ports: &Ports, caller: &Caller, id: &str) -> Result<Sale, Error> {
    caller.may(Right::ArtifactsRead)?;
    find(ports, caller, SaleName::Document(id)).await
}
