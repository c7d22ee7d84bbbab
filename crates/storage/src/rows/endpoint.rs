use domain::webhook::WebhookEndpoint;
use ports::{Recipient, StoredEndpoint};
use serde::{Deserialize, Serialize};

use super::{Inconsistent, StoredRow, row};
use crate::{column::Column, schema::webhook_endpoints};

row! {
    /// One row of `webhook_endpoints`, without the secrets, which only the signer reads.
    #[derive(diesel::AsChangeset, Serialize, Deserialize)]
    #[diesel(treat_none_as_null = true)]
    EndpointRow in webhook_endpoints by id {
        merchant: String,
        mode: String,
        id: String,
        url: String,
        enabled_events: String,
        description: Option<String>,
        disabled: Option<String>,
        created_at: i64,
        updated_at: i64,
        version: i64,
    }
    WebhookEndpoint {
        id,
        merchant,
        mode,
        url,
        enabled_events,
        description,
        disabled,
        created_at,
        updated_at,
        version,
    }
}

/// Columns for the sender of webhooks: the secret, the previous secret with the end, and the time since when the endpoint
/// fails.
pub(crate) type Sending = (Vec<u8>, Option<Vec<u8>>, Option<i64>, Option<i64>);

impl StoredRow for (EndpointRow, Sending) {
    type Value = Recipient;

    fn restore(self) -> Result<Recipient, Inconsistent> {
        let (row, (sealed_secret, previous, until, failing)) = self;
        let broken = Inconsistent::of("webhook_endpoints", &row.id);
        let until = Option::load(until, "previous_until").map_err(&broken)?;
        let failing_since = Option::load(failing, "failing_since").map_err(&broken)?;
        Ok(Recipient { endpoint: row.restore()?, sealed_secret, previous: previous.zip(until), failing_since })
    }
}

/// An endpoint, and whether it was removed.
impl StoredRow for (EndpointRow, bool) {
    type Value = StoredEndpoint;

    fn restore(self) -> Result<StoredEndpoint, Inconsistent> {
        Ok(StoredEndpoint { endpoint: self.0.restore()?, is_removed: self.1 })
    }
}
