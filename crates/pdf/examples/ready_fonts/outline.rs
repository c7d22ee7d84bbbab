//! Outlines of glyphs as contours of quadratic curves.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Point of a contour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) x: i32,
    pub(crate) y: i32,
    /// Whether the point is on the curve; others control it.
    pub(crate) is_on: bool,
}

/// Returns the contours of a glyph, in units of `units_per_em` on a grid of `grid` units. A composed glyph is one outline.
pub(crate) fn contours(face: &Face<'_>, glyph: GlyphId, units_per_em: i32, grid: i32) -> Vec<Vec<Point>> {
    let mut outline = Outline::default();
    face.outline_glyph(glyph, &mut outline);
    let to = Scale { from: 2 * i32::from(face.units_per_em()), to: units_per_em, grid };
    outline.contours.iter().map(|it| to.apply(&without_implied(it))).filter(|it| it.len() > 2).collect()
}

/// Collects contours in half units, which are whole numbers even between two points.
#[derive(Default)]
struct Outline {
    contours: Vec<Vec<Point>>,
}

impl Outline {
    fn push(&mut self, x: f32, y: f32, is_on: bool) {
        let point = Point { x: halves(x), y: halves(y), is_on };
        if let Some(contour) = self.contours.last_mut() {
            contour.push(point);
        }
    }
}

#[expect(clippy::float_arithmetic, reason = "the parser's coordinates are floats")]
fn halves(length: f32) -> i32 {
    (length * 2.0).round() as i32
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.contours.push(Vec::new());
        self.push(x, y, true);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.push(x, y, true);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.push(x1, y1, false);
        self.push(x, y, true);
    }

    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {
        unreachable!("a TrueType outline has quadratic curves only");
    }

    fn close(&mut self) {
        if let Some(contour) = self.contours.last_mut()
            && contour.len() > 1
            && contour.first() == contour.last()
        {
            contour.pop();
        }
    }
}

/// Removes the points in the middle between two control points, which the format implies.
fn without_implied(contour: &[Point]) -> Vec<Point> {
    let count = contour.len();
    let is_implied = |index: usize| {
        let (before, it, after) = (contour[(index + count - 1) % count], contour[index], contour[(index + 1) % count]);
        let is_middle = 2 * it.x == before.x + after.x && 2 * it.y == before.y + after.y;
        it.is_on && !before.is_on && !after.is_on && is_middle
    };
    (0..count).filter(|&index| !is_implied(index)).map(|index| contour[index]).collect()
}

struct Scale {
    from: i32,
    to: i32,
    grid: i32,
}

impl Scale {
    fn apply(&self, contour: &[Point]) -> Vec<Point> {
        let mut scaled: Vec<Point> =
            contour.iter().map(|it| Point { x: self.length(it.x), y: self.length(it.y), ..*it }).collect();
        scaled.dedup();
        if scaled.len() > 1 && scaled.first() == scaled.last() {
            scaled.pop();
        }
        // Rounding moves more points to the middle.
        without_implied(&scaled)
    }

    fn length(&self, length: i32) -> i32 {
        let cells = self.from * self.grid;
        (2 * length * self.to + cells).div_euclid(2 * cells) * self.grid
    }
}
