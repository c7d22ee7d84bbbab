//! Cursors: a place in a list that only we can make, good for one tenant and one set of filters.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::DateTime;
use domain::{InvalidRequest, Refusal};
use ports::{Position, Tenant};

use crate::Ports;

/// Version of the encoding.
const VERSION: u8 = 1;
/// Number of bytes of the authentication code in a cursor.
const MAC: usize = 16;
/// The bytes before the name: version and milliseconds.
const HEAD: usize = 9;

/// The cursor of `position`. The same place always has the same cursor.
pub(crate) fn write(ports: &Ports, tenant: &Tenant, filters: &str, position: &Position) -> String {
    let mut bytes = vec![VERSION];
    bytes.extend(position.created_at.timestamp_millis().to_be_bytes());
    bytes.extend(position.id.as_bytes());
    let mac = mac(ports, tenant, filters, &bytes);
    bytes.extend(&mac[..MAC]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the position of a cursor.
///
/// # Errors
///
/// [`InvalidRequest::ParameterInvalid`] at `cursor` if the cursor is malformed, or of another list.
pub(crate) fn read(ports: &Ports, tenant: &Tenant, filters: &str, text: &str) -> Result<Position, Refusal> {
    let invalid = || {
        let rule = "The value must be the nextCursor of an earlier part of this list, with the same filters.";
        Refusal::at(InvalidRequest::ParameterInvalid, "cursor").with_message(rule)
    };
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| invalid())?;
    let place = bytes.len().checked_sub(MAC).filter(|it| *it > HEAD).ok_or_else(invalid)?;
    let (place, mac_bytes) = bytes.split_at(place);
    let is_ours = mac(ports, tenant, filters, place)[..MAC] == *mac_bytes && place.first() == Some(&VERSION);
    let millis = place.get(1..HEAD).and_then(|it| it.try_into().ok()).map(i64::from_be_bytes);
    let created_at = millis.and_then(DateTime::from_timestamp_millis);
    let id = place.get(HEAD..).and_then(|it| std::str::from_utf8(it).ok());
    match (is_ours, created_at, id) {
        (true, Some(created_at), Some(id)) => Ok(Position { created_at, id: id.to_owned() }),
        _ => Err(invalid()),
    }
}

fn mac(ports: &Ports, tenant: &Tenant, filters: &str, place: &[u8]) -> [u8; 32] {
    let (merchant, mode) = (tenant.merchant.as_str(), tenant.mode.as_str());
    let mut message = format!("{merchant}\n{mode}\n{filters}\n").into_bytes();
    message.extend(place);
    ports.vault.mac("cursor", &message)
}
