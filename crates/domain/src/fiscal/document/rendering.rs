//! Retries of the rendering of an issued document.

use chrono::{DateTime, Utc};

use super::FiscalDocument;
use crate::{
    Conflict,
    fiscal::{DocumentStage, Issued, Printed, RenderRetry},
};

impl FiscalDocument {
    /// Returns the time of the next attempt to render the document.
    pub const fn render_due_at(&self) -> Option<DateTime<Utc>> {
        match self.stage() {
            DocumentStage::Issued(Issued { render_retry: Some(render_retry), .. }) => Some(render_retry.at),
            _ => None,
        }
    }

    /// Records the printed representation. Commit this together with the file.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document waits for a rendering.
    pub fn drawn(&mut self, printed: Printed, now: DateTime<Utc>) -> Result<(), Conflict> {
        let issued = self.due_renders()?;
        issued.signed.printed = Some(printed);
        issued.render_retry = None;
        self.moved(now);
        Ok(())
    }

    /// Records a failed attempt. Returns whether the attempt was the last.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document waits for a rendering.
    pub fn render_failed(&mut self, now: DateTime<Utc>) -> Result<bool, Conflict> {
        let issued = self.due_renders()?;
        issued.render_retry = issued.render_retry.and_then(|it| RenderRetry::after(it.retries.saturating_add(1), now));
        let is_over = issued.render_retry.is_none();
        self.moved(now);
        Ok(is_over)
    }

    const fn due_renders(&mut self) -> Result<&mut Issued, Conflict> {
        match &mut self.state.stage {
            DocumentStage::Issued(issued) if issued.render_retry.is_some() => Ok(issued),
            _ => Err(Conflict::FiscalArtifactNotReady),
        }
    }
}
