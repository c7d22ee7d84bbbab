//! Printed representation of a fiscal document: a PDF with the QR code that the authority requires.
//!
//! The PDF is drawn from the document that is signed, without computations: every amount is in the breakdown. The same
//! document always has the same bytes. The file is PDF/A-2a: archival, with embedded fonts, and tagged for screen
//! readers.
//!
//! Source: DGII, *Informe Técnico e-CF v1.0*, 17, and *Representación Impresa (Modelos ilustrativos)*.
#![warn(missing_docs)]

mod blocks;
mod draw;
mod file;
mod fonts;
mod glyph_fallback;
mod invoice_layout;
mod metadata;
mod page_writer;
mod pagination;
mod qr;
mod ready_fonts;
mod resources;
mod tags;

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    FiscalDocument,
    fiscal::{Numbered, Signed},
};
use ports::{DocumentPrinter, Unprintable};
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{fonts::Fonts, invoice_layout::InvoiceLayout};

/// Maximum number of concurrent drawings. Each occupies a processor and megabytes of memory.
const MAX_CONCURRENT: usize = 4;

/// Renders documents as PDF on blocking threads.
#[derive(Clone)]
pub struct PdfRenderer {
    fonts: Fonts,
    permits: Arc<Semaphore>,
}

impl PdfRenderer {
    /// Loads the fonts.
    ///
    /// # Errors
    ///
    /// If the built-in fonts cannot be read.
    pub fn new() -> Result<Self, Unprintable> {
        let fonts = Fonts::new().ok_or(Unprintable { reason: "a font cannot be read".to_owned() })?;
        Ok(Self { fonts, permits: Arc::new(Semaphore::new(MAX_CONCURRENT)) })
    }
}

#[async_trait]
impl DocumentPrinter for PdfRenderer {
    async fn print(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        signed: &Signed,
    ) -> Result<Vec<u8>, Unprintable> {
        self.draw(InvoiceLayout::of(document, numbered, signed)).await
    }

    async fn print_contingency_copy(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        signed: &Signed,
    ) -> Result<Vec<u8>, Unprintable> {
        self.draw(InvoiceLayout::of(document, numbered, signed).for_contingency()).await
    }
}

impl PdfRenderer {
    async fn draw(&self, layout: InvoiceLayout) -> Result<Vec<u8>, Unprintable> {
        let interrupted = |_| Unprintable { reason: "rendering was interrupted".to_owned() };
        let permit = self
            .permits
            .clone()
            .acquire_owned()
            .await
            .map_err(|_| Unprintable { reason: "rendering has stopped".to_owned() })?;
        let fonts = self.fonts.clone();
        let drawing = spawn_blocking(move || {
            // The permit is released when the drawing ends, even if the caller is gone.
            let _permit = permit;
            draw::draw(&layout, &fonts)
        });
        drawing.await.map_err(interrupted)?
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        sync::mpsc,
        task::{Context, Poll},
    };

    use testkit::sample;
    use tokio::runtime::Builder;

    use super::*;

    /// The only blocking thread is busy, so the drawings wait.
    #[test]
    fn drawings_are_limited_and_hold_their_permit_until_they_end() {
        let runtime = Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let printer = PdfRenderer::new().unwrap();
            let (document, numbered, signed) = (sample::sale(1).document, sample::numbered(1), sample::signed(1));
            let (is_free, until_free) = mpsc::channel::<()>();
            let busy = spawn_blocking(move || until_free.recv());

            let mut drawings: Vec<_> =
                (0..=MAX_CONCURRENT).map(|_| printer.print(&document, &numbered, &signed)).collect();
            let mut free = Vec::new();
            for drawing in &mut drawings {
                let ask = |waker: &mut Context<'_>| Poll::Ready(drawing.as_mut().poll(waker).is_pending());
                assert!(poll_fn(ask).await);
                free.push(printer.permits.available_permits());
            }
            assert_eq!(free, [3, 2, 1, 0, 0]);

            // The callers of the last drawing, which has no permit yet, and of the first one are gone.
            drop(drawings.pop());
            drop(drawings.remove(0));
            assert_eq!(printer.permits.available_permits(), 0);

            is_free.send(()).unwrap();
            busy.await.unwrap().unwrap();
            for drawing in drawings {
                assert!(drawing.await.is_ok());
            }
            let all = printer.permits.acquire_many(u32::try_from(MAX_CONCURRENT).unwrap()).await;
            assert!(all.is_ok());
        });
    }
}
