/// Readiness in the last event of an account: its status, and the codes of its blockers. Without the dates of checks,
/// which change without news.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifiedReadiness(String);

impl NotifiedReadiness {
    /// The published statuses.
    pub(super) const STATUSES: [&'static str; 3] = ["ready", "degraded", "not_ready"];

    pub(super) const fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the stored text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses a stored text.
    pub fn from_text(text: &str) -> Option<Self> {
        let notified = Self(text.to_owned());
        Self::STATUSES.contains(&notified.status()).then_some(notified)
    }

    /// Returns the status.
    pub fn status(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }
}
