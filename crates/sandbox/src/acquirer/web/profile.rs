/// Settings of a merchant at the acquirer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcquirerProfile {
    /// Merchant number.
    pub store: String,
    /// Sales channel.
    pub channel: String,
    /// First half of the password.
    pub auth1: String,
    /// Second half of the password.
    pub auth2: String,
    /// Serial number of the client certificate in lower-case hexadecimal; `None` if no certificate is required.
    pub certificate_serial: Option<String>,
    /// Whether the merchant may reserve funds.
    pub may_hold: bool,
    /// Whether the merchant may store cards.
    pub may_store_cards: bool,
    /// Whether purchases use 3-D Secure, unless the request opts out.
    pub has_3ds: bool,
    /// Whether the acquirer has disabled the profile.
    pub is_disabled: bool,
}
