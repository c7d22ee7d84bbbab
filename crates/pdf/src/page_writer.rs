//! Writes tagged content on a page.

use std::collections::BTreeSet;

use pdf_writer::{Content, Name, Ref, Settings, Str, types::ArtifactType};

use crate::{
    blocks::{PAGE, PlacedText, QR_CODE},
    fonts::{Fonts, float},
    qr::QrCode,
};

/// One twip in points.
const TWIP: f32 = 0.05;
/// Name of the QR code among the resources.
pub(crate) const QR_CODE_NAME: &str = "Q";

/// A slice of a font.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FontSlice {
    pub(crate) is_bold: bool,
    pub(crate) slice: usize,
}

impl FontSlice {
    /// Returns its name among the resources.
    pub(crate) fn name(self) -> String {
        format!("{}{}", if self.is_bold { 'B' } else { 'R' }, self.slice)
    }
}

/// Content that has a tag.
#[derive(Clone, Copy)]
pub(crate) struct Marked {
    pub(crate) page: Ref,
    /// Number on its page.
    pub(crate) number: i32,
}

/// Writer for one page.
pub(crate) struct PageWriter<'a> {
    page: Ref,
    fonts: &'a Fonts,
    /// Slices that the document uses.
    used: &'a mut BTreeSet<FontSlice>,
    /// Rules and the QR code.
    shapes: Content,
    texts: Content,
    /// Number of the next tagged content.
    next: i32,
    font: Option<(FontSlice, i32)>,
    /// Begin of the last text.
    at: (i32, i32),
}

impl<'a> PageWriter<'a> {
    pub(crate) fn new(page: Ref, fonts: &'a Fonts, used: &'a mut BTreeSet<FontSlice>) -> Self {
        let settings = Settings { pretty: false };
        let mut shapes = Content::with_settings(settings);
        shapes.transform([TWIP, 0.0, 0.0, TWIP, 0.0, 0.0]);
        let mut texts = Content::with_settings_and_capacity(settings, 1 << 14);
        texts.begin_text();
        Self { page, fonts, used, shapes, texts, next: 0, font: None, at: (0, 0) }
    }

    /// Returns the content of the page.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.texts.end_text();
        [self.shapes.finish().as_slice(), b"\n", self.texts.finish().as_slice()].concat()
    }

    /// Writes a text that screen readers read.
    pub(crate) fn write(&mut self, text: &PlacedText) -> Marked {
        let marked = self.mark();
        identify(&mut self.texts, b"Span", marked);
        self.ink(text);
        self.texts.end_marked_content();
        marked
    }

    /// Writes a text that screen readers skip, such as the header of a second page.
    pub(crate) fn repeat(&mut self, text: &PlacedText) {
        skip(&mut self.texts, ArtifactType::Pagination);
        self.ink(text);
        self.texts.end_marked_content();
    }

    /// Draws a thin horizontal line.
    pub(crate) fn rule(&mut self, left: i32, right: i32, y: i32) {
        const HEIGHT: i32 = 10;
        skip(&mut self.shapes, ArtifactType::Layout);
        self.shapes.rect(float(left), float(PAGE.1 - y - HEIGHT), float(right - left), float(HEIGHT));
        self.shapes.fill_nonzero();
        self.shapes.end_marked_content();
    }

    /// Draws the QR code, which all pages share.
    pub(crate) fn draw_qr_code(&mut self, qr_code: &QrCode) -> Marked {
        let marked = self.mark();
        // A module has a whole number of twips.
        let side = QR_CODE.side / qr_code.side * qr_code.side;
        let bottom = float(PAGE.1 - QR_CODE.y - side);
        let side = float(side);
        identify(&mut self.shapes, b"Figure", marked);
        self.shapes.save_state();
        self.shapes.transform([side, 0.0, 0.0, side, float(QR_CODE.x), bottom]);
        self.shapes.x_object(Name(QR_CODE_NAME.as_bytes()));
        self.shapes.restore_state();
        self.shapes.end_marked_content();
        marked
    }

    fn mark(&mut self) -> Marked {
        let number = self.next;
        self.next += 1;
        Marked { page: self.page, number }
    }

    fn ink(&mut self, text: &PlacedText) {
        let fonts = self.fonts;
        let (x, y) = (text.x, PAGE.1 - text.y);
        let mut is_first = true;
        for (slice, codes) in fonts.face(text.is_bold).runs(&text.text) {
            let slice = FontSlice { is_bold: text.is_bold, slice };
            if self.font != Some((slice, text.size)) {
                self.used.insert(slice);
                self.font = Some((slice, text.size));
                self.texts.set_font(Name(slice.name().as_bytes()), float(text.size));
            }
            if std::mem::take(&mut is_first) {
                self.texts.next_line(float(x - self.at.0), float(y - self.at.1));
                self.at = (x, y);
            }
            self.texts.show(Str(&codes));
        }
    }
}

fn identify(content: &mut Content, tag: &[u8], marked: Marked) {
    content.begin_marked_content_with_properties(Name(tag)).properties().identify(marked.number);
}

fn skip(content: &mut Content, kind: ArtifactType) {
    content.begin_marked_content_with_properties(Name(b"Artifact")).properties().artifact().kind(kind);
}
