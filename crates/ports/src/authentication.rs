//! Input of 3-D Secure.

/// Input of 3-D Secure beside the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authentication {
    /// The payer's browser.
    pub browser: Browser,
    /// Return addresses for the issuer.
    pub returns: ReturnUrls,
}

/// Data about the payer's browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Browser {
    /// `Accept` header.
    pub accept: String,
    /// `User-Agent` header.
    pub user_agent: String,
    /// First language, such as `es-DO`.
    pub language: String,
    /// IP address.
    pub address: String,
    /// Data that a script in the browser has read; `None` without a script.
    pub screen: Option<Screen>,
}

/// Data that a script in the browser reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// In bits for each pixel.
    pub color_depth: u8,
    /// How many minutes local time is behind UTC.
    pub minutes_behind_utc: i16,
}

/// Our addresses to which the issuer sends the browser. There is a secret of the attempt in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnUrls {
    /// After the issuer has collected browser data.
    pub method: String,
    /// After the cardholder has completed the challenge.
    pub challenge: String,
}

/// Next step of an authentication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthStep {
    /// The issuer had time to collect browser data.
    MethodDone {
        /// Whether the issuer has notified us that its method is done.
        is_method_notified: bool,
    },
    /// The cardholder completed the issuer's challenge.
    ChallengeDone {
        /// Response of the issuer, in its own format, as the browser posted it.
        result: String,
    },
}
