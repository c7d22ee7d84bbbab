//! Writes tagged content on a page.

use krilla::{
    geom::{PathBuilder, Point, Rect, Transform},
    paint::{Fill, Stroke},
    surface::Surface,
    tagging::{Artifact, ArtifactType, ContentTag, Identifier, SpanTag},
};
use ports::Unprintable;

use crate::{
    blocks::{PlacedText, QR_CODE},
    fonts::{Fonts, float},
    qr::QrCode,
};

/// Writer for one page.
pub(crate) struct PageWriter<'a, 's> {
    pub(crate) surface: &'a mut Surface<'s>,
    pub(crate) fonts: &'a Fonts,
}

impl PageWriter<'_, '_> {
    /// Writes a text that screen readers read.
    pub(crate) fn write(&mut self, text: &PlacedText) -> Identifier {
        let name = self.surface.start_tagged(ContentTag::Span(SpanTag::empty()));
        self.ink(text);
        self.surface.end_tagged();
        name
    }

    /// Writes a text that screen readers skip, such as the header of a second page.
    pub(crate) fn repeat(&mut self, text: &PlacedText) {
        self.surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::PaginationOther)));
        self.ink(text);
        self.surface.end_tagged();
    }

    /// Draws a thin horizontal line.
    pub(crate) fn rule(&mut self, left: i32, right: i32, y: i32) -> Result<(), Unprintable> {
        let line = rectangle(left, y, right - left, 10)?;
        let mut path = PathBuilder::new();
        path.push_rect(line);
        self.surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)));
        if let Some(path) = path.finish() {
            self.surface.draw_path(&path);
        }
        self.surface.end_tagged();
        Ok(())
    }

    /// Draws the QR code. Each run of dark modules is a line of the height of a module; the units are half modules,
    /// whose small numbers keep the file small.
    pub(crate) fn draw_qr_code(&mut self, qr_code: &QrCode) -> Result<Identifier, Unprintable> {
        let mut path = PathBuilder::new();
        for run in &qr_code.dark {
            let middle = float(2 * run.row + 1);
            path.move_to(float(2 * run.column), middle);
            path.line_to(float(2 * (run.column + run.length)), middle);
        }
        let path = path.finish().ok_or_else(|| Unprintable { reason: "the QR code is empty".to_owned() })?;
        let half = float(QR_CODE.side / qr_code.side / 2);
        let name = self.surface.start_tagged(ContentTag::Other);
        self.surface.push_transform(&Transform::from_row(half, 0.0, 0.0, half, float(QR_CODE.x), float(QR_CODE.y)));
        self.surface.set_stroke(Some(Stroke { width: 2.0, ..Stroke::default() }));
        self.surface.set_fill(None);
        self.surface.draw_path(&path);
        self.surface.set_stroke(None);
        self.surface.set_fill(Some(Fill::default()));
        self.surface.pop();
        self.surface.end_tagged();
        Ok(name)
    }

    fn ink(&mut self, text: &PlacedText) {
        let face = if text.is_bold { &self.fonts.bold } else { &self.fonts.regular };
        let start = Point::from_xy(float(text.x), float(text.y));
        self.surface.draw_glyphs(
            start,
            &face.glyphs(&text.text),
            face.font.clone(),
            &text.text,
            float(text.size),
            false,
        );
    }
}

fn rectangle(x: i32, y: i32, width: i32, height: i32) -> Result<Rect, Unprintable> {
    let rectangle = Rect::from_xywh(float(x), float(y), float(width), float(height));
    rectangle.ok_or_else(|| Unprintable { reason: "a rectangle has no size".to_owned() })
}
