//! What 3-D Secure takes beside a card.

/// What 3-D Secure asks of a payer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authentication {
    /// What the payer's browser tells of itself.
    pub browser: Browser,
    /// Where it comes back from the issuer.
    pub returns: Returns,
}

/// What a payer's browser tells of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Browser {
    /// What it accepts, as in its header.
    pub accept: String,
    /// What it calls itself.
    pub user_agent: String,
    /// Its first language, as in `es-DO`.
    pub language: String,
    /// From which address it asks.
    pub address: String,
    /// What a script in it has found out; `None` where none has run.
    pub screen: Option<Screen>,
}

/// What a script in a browser finds out.
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
pub struct Returns {
    /// After the issuer has looked at the browser.
    pub looked: String,
    /// After the cardholder has answered.
    pub answered: String,
}

/// How an authentication goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthStep {
    /// The browser had time to be looked at.
    Looked {
        /// Whether the issuer said that it has looked.
        is_noticed: bool,
    },
    /// The cardholder answered the issuer.
    Answered {
        /// What the issuer gave the browser to bring: its own words, which nobody else need understand.
        result: String,
    },
}
