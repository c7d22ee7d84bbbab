//! The printed representation of a fiscal document: a PDF for people, with the QR code that the authority asks for.
//!
//! It is drawn from the very document that is signed, and computes nothing: every amount is the breakdown's. The same
//! document always comes to the same bytes. The file is PDF/A-2a: archival, with its fonts, and tagged for readers.
//!
//! Source: DGII, *Informe Técnico e-CF v1.0*, 17, and *Representación Impresa (Modelos ilustrativos)*.
#![warn(missing_docs)]

mod blocks;
mod draw;
mod face;
mod letters;
mod packed;
mod pages;
mod pen;
mod sheet;
mod stamp;

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    FiscalDocument,
    fiscal::{Numbered, Signed},
};
use ports::{DocumentPrinter, Unprintable};
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{face::Faces, sheet::Sheet};

/// So many are drawn at once: each takes a processor, and megabytes of memory that others would have to wait for.
const AT_ONCE: usize = 4;

/// Draws printed representations, off the async threads.
#[derive(Clone)]
pub struct PdfRenderer {
    faces: Faces,
    desks: Arc<Semaphore>,
}

impl PdfRenderer {
    /// A printer with its fonts.
    ///
    /// # Errors
    ///
    /// The fonts that are built in cannot be read.
    pub fn new() -> Result<Self, Unprintable> {
        let faces = Faces::new().ok_or(Unprintable { reason: "a font cannot be read".to_owned() })?;
        Ok(Self { faces, desks: Arc::new(Semaphore::new(AT_ONCE)) })
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
        self.draw(Sheet::of(document, numbered, signed)).await
    }

    async fn print_contingency_copy(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        signed: &Signed,
    ) -> Result<Vec<u8>, Unprintable> {
        self.draw(Sheet::of(document, numbered, signed).for_contingency()).await
    }
}

impl PdfRenderer {
    async fn draw(&self, sheet: Sheet) -> Result<Vec<u8>, Unprintable> {
        let render_failed = |_| Unprintable { reason: "drawing did not end".to_owned() };
        let desk =
            self.desks.clone().acquire_owned().await.map_err(|_| Unprintable { reason: "nobody draws".to_owned() })?;
        let faces = self.faces.clone();
        let drawing = spawn_blocking(move || {
            // It is the next one's when this is drawn, whether anybody waits for it still or not.
            let _desk = desk;
            draw::draw(&sheet, &faces)
        });
        drawing.await.map_err(render_failed)?
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

    /// The one thread that draws is busy with something else: what is asked for meanwhile waits for it, at a desk.
    #[test]
    fn so_many_are_drawn_at_once_and_a_desk_is_taken_until_it_is_drawn_whoever_waits() {
        let runtime = Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let printer = PdfRenderer::new().unwrap();
            let (document, numbered, signed) = (sample::sale(1).document, sample::numbered(1), sample::signed(1));
            let (is_free, until_free) = mpsc::channel::<()>();
            let busy = spawn_blocking(move || until_free.recv());

            let mut drawings: Vec<_> = (0..=AT_ONCE).map(|_| printer.print(&document, &numbered, &signed)).collect();
            let mut free = Vec::new();
            for drawing in &mut drawings {
                let ask = |waker: &mut Context<'_>| Poll::Ready(drawing.as_mut().poll(waker).is_pending());
                assert!(poll_fn(ask).await);
                free.push(printer.desks.available_permits());
            }
            assert_eq!(free, [3, 2, 1, 0, 0]);

            // Nobody waits for the last one, which has no desk yet, nor for the first.
            drop(drawings.pop());
            drop(drawings.remove(0));
            assert_eq!(printer.desks.available_permits(), 0);

            is_free.send(()).unwrap();
            busy.await.unwrap().unwrap();
            for drawing in drawings {
                assert!(drawing.await.is_ok());
            }
            let all = printer.desks.acquire_many(u32::try_from(AT_ONCE).unwrap()).await;
            assert!(all.is_ok());
        });
    }
}
