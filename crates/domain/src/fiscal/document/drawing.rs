//! Drawing an issued document that could not be drawn when it was signed.

use chrono::{DateTime, Utc};

use super::FiscalDocument;
use crate::{
    Conflict,
    fiscal::{DocumentStage, Issued, Printed, RenderRetry},
};

impl FiscalDocument {
    /// When it is to be drawn again.
    pub const fn render_due_at(&self) -> Option<DateTime<Utc>> {
        match self.stage() {
            DocumentStage::Issued(Issued { redraw: Some(redraw), .. }) => Some(redraw.at),
            _ => None,
        }
    }

    /// It was drawn after all. Commit this together with the file.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless it waits for that.
    pub fn drawn(&mut self, printed: Printed, now: DateTime<Utc>) -> Result<(), Conflict> {
        let issued = self.due_renders()?;
        issued.signed.printed = Some(printed);
        issued.redraw = None;
        self.moved(now);
        Ok(())
    }

    /// It could not be drawn once more. Says whether that was the last time.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless it waits for that.
    pub fn render_failed(&mut self, now: DateTime<Utc>) -> Result<bool, Conflict> {
        let issued = self.due_renders()?;
        issued.redraw = issued.redraw.and_then(|it| RenderRetry::after(it.tries.saturating_add(1), now));
        let is_over = issued.redraw.is_none();
        self.moved(now);
        Ok(is_over)
    }

    const fn due_renders(&mut self) -> Result<&mut Issued, Conflict> {
        match &mut self.state.stage {
            DocumentStage::Issued(issued) if issued.redraw.is_some() => Ok(issued),
            _ => Err(Conflict::FiscalArtifactNotReady),
        }
    }
}
