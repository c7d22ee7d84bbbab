use crate::{assets, texts::Texts};

/// Parts that every page has.
pub(crate) struct Frame {
    pub(crate) texts: &'static Texts,
    pub(crate) title: String,
    pub(crate) style: &'static str,
    pub(crate) script: Option<&'static str>,
    /// Path of the state that the script polls, and the version on this page.
    pub(crate) poll: Option<(String, String)>,
    /// Whether a browser without a script reloads the page.
    pub(crate) is_refreshed: bool,
}

impl Frame {
    pub(crate) fn of(texts: &'static Texts, title: &str) -> Self {
        Self { texts, title: title.to_owned(), style: assets::STYLE, script: None, poll: None, is_refreshed: false }
    }

    /// Adds the script.
    pub(crate) fn scripted(self) -> Self {
        Self { script: Some(assets::SCRIPT), ..self }
    }
}
