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
mod packed;
mod pages;
mod pen;
mod sheet;
mod stamp;

use async_trait::async_trait;
use domain::{
    FiscalDocument,
    fiscal::{Numbered, Signed},
};
use ports::{DocumentPrinter, Unprintable};

use crate::{face::Faces, sheet::Sheet};

/// Draws printed representations, off the async threads.
#[derive(Clone)]
pub struct Printer {
    faces: Faces,
}

impl Printer {
    /// A printer with its fonts.
    ///
    /// # Errors
    ///
    /// The fonts that are built in cannot be read.
    pub fn new() -> Result<Self, Unprintable> {
        Faces::new().map(|faces| Self { faces }).ok_or(Unprintable { reason: "a font cannot be read".to_owned() })
    }
}

#[async_trait]
impl DocumentPrinter for Printer {
    async fn print(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        signed: &Signed,
    ) -> Result<Vec<u8>, Unprintable> {
        let sheet = Sheet::of(document, numbered, signed);
        let faces = self.faces.clone();
        let drawn = tokio::task::spawn_blocking(move || draw::draw(&sheet, &faces)).await;
        drawn.map_err(|_| Unprintable { reason: "drawing did not end".to_owned() })?
    }
}
