//! What puts texts and lines on a page, and says what they are.

use krilla::{
    geom::{PathBuilder, Point, Rect, Transform},
    paint::{Fill, Stroke},
    surface::Surface,
    tagging::{Artifact, ArtifactType, ContentTag, Identifier, SpanTag},
};
use ports::Unprintable;

use crate::{
    blocks::{Placed, STAMP},
    face::Faces,
    stamp::Squares,
};

/// Writes on one page.
pub(crate) struct Pen<'a, 's> {
    pub(crate) surface: &'a mut Surface<'s>,
    pub(crate) faces: &'a Faces,
}

impl Pen<'_, '_> {
    /// A text that is read where it stands.
    pub(crate) fn write(&mut self, text: &Placed) -> Identifier {
        let name = self.surface.start_tagged(ContentTag::Span(SpanTag::empty()));
        self.ink(text);
        self.surface.end_tagged();
        name
    }

    /// A text that was read before, as on top of a second page.
    pub(crate) fn repeat(&mut self, text: &Placed) {
        self.surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::PaginationOther)));
        self.ink(text);
        self.surface.end_tagged();
    }

    /// A thin line from the left to the right.
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

    /// The QR code in its place, as wide as its modules of whole twips come to. Each run is a line as thick as a module; in
    /// units of half a module they are spelled with small numbers, which take little room.
    pub(crate) fn stamp(&mut self, squares: &Squares) -> Result<Identifier, Unprintable> {
        let mut path = PathBuilder::new();
        for run in &squares.dark {
            let middle = float(2 * run.row + 1);
            path.move_to(float(2 * run.column), middle);
            path.line_to(float(2 * (run.column + run.length)), middle);
        }
        let path = path.finish().ok_or_else(|| Unprintable { reason: "the QR code is empty".to_owned() })?;
        let half = float(STAMP.side / squares.side / 2);
        let name = self.surface.start_tagged(ContentTag::Other);
        self.surface.push_transform(&Transform::from_row(half, 0.0, 0.0, half, float(STAMP.x), float(STAMP.y)));
        self.surface.set_stroke(Some(Stroke { width: 2.0, ..Stroke::default() }));
        self.surface.set_fill(None);
        self.surface.draw_path(&path);
        self.surface.set_stroke(None);
        self.surface.set_fill(Some(Fill::default()));
        self.surface.pop();
        self.surface.end_tagged();
        Ok(name)
    }

    fn ink(&mut self, text: &Placed) {
        let face = if text.is_bold { &self.faces.bold } else { &self.faces.regular };
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

/// Lengths on a page are far below the numbers that a float cannot hold.
pub(crate) const fn float(length: i32) -> f32 {
    length as f32
}
