use domain::sale::Sale;

use crate::{
    Caller, Error, Ports,
    command::{SaleName, find},
};

/// Returns a payment, for its merchant or for the holder of a checkout token.
pub async fn get_payment(ports: &Ports, caller: &Caller, id: &str) -> Result<Sale, Error> {
    find(ports, caller, SaleName::Payment(id)).await
}
