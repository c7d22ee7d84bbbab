//! Draws the pages of a document.

use std::ops::Range;

use chrono::{Datelike, Timelike, Utc};
use krilla::{
    Document, SerializeSettings,
    configure::{Archival, ConfigurationBuilder},
    geom::Transform,
    metadata::{DateTime, Metadata},
    page::PageSettings,
    surface::Surface,
    tagging::{Node, TableHeaderScope, Tag, TagGroup, TagTree},
};
use ports::Unprintable;

use crate::{
    blocks::{self, LEFT, PAGE, PlacedText, RIGHT},
    compress::compress,
    fonts::Fonts,
    invoice_layout::InvoiceLayout,
    page_writer::PageWriter,
    pagination::{BELOW_TITLES, pages},
    qr::{QrCode, qr_code},
};

/// One twip in points.
const TWIP: f32 = 0.05;
/// US Letter in points.
const PAPER: (f32, f32) = (612.0, 792.0);

/// Returns the PDF.
pub(crate) fn draw(layout: &InvoiceLayout, fonts: &Fonts) -> Result<Vec<u8>, Unprintable> {
    let qr_code = qr_code(&layout.address)?;
    let (head, top) = blocks::head(layout, fonts);
    let parts = pages(layout, top, fonts);

    let mut document = Document::new_with(settings()?);
    document.set_metadata(metadata(layout));
    let mut content = TaggedContent::default();
    for (index, rows) in parts.iter().enumerate() {
        let page = PageSettings::from_wh(PAPER.0, PAPER.1).ok_or_else(|| broken("the paper size is invalid"))?;
        let mut page = document.start_page_with(page);
        let mut surface = page.surface();
        surface.push_transform(&Transform::from_scale(TWIP, TWIP));
        let page_context = PageContext { index, count: parts.len(), rows: rows.clone(), head: &head, top };
        one_page(&mut surface, layout, fonts, &page_context, &qr_code, &mut content)?;
        surface.pop();
        surface.finish();
        page.finish();
    }
    document.set_tag_tree(content.tree(layout));
    let file = document.finish().map_err(|error| broken(format!("{error:?}")))?;
    Ok(compress(&file).unwrap_or(file))
}

/// One of the pages.
struct PageContext<'a> {
    index: usize,
    count: usize,
    rows: Range<usize>,
    head: &'a [PlacedText],
    top: i32,
}

/// Tagged content in reading order.
#[derive(Default)]
struct TaggedContent {
    head: Vec<Node>,
    rows: Vec<TagGroup>,
    tail: Vec<Node>,
}

fn one_page(
    surface: &mut Surface<'_>,
    layout: &InvoiceLayout,
    fonts: &Fonts,
    page: &PageContext<'_>,
    qr_code: &QrCode,
    content: &mut TaggedContent,
) -> Result<(), Unprintable> {
    let is_first = page.index == 0;
    let is_last = page.index + 1 == page.count;
    let mut writer = PageWriter { surface, fonts };
    let titles = blocks::titles(layout, page.top, fonts);
    if is_first {
        content.head.extend(page.head.iter().map(|text| paragraph(vec![writer.write(text).into()])));
        let scope = TableHeaderScope::Column;
        let titles =
            titles.iter().map(|it| TagGroup::with_children(Tag::TH(scope), vec![writer.write(it).into()]).into());
        content.rows.push(TagGroup::with_children(Tag::TR, titles.collect()));
    } else {
        page.head.iter().chain(&titles).for_each(|text| writer.repeat(text));
    }
    writer.rule(LEFT, RIGHT, page.top + 90)?;

    let rows = layout.rows.get(page.rows.clone()).unwrap_or_default();
    let mut y = page.top + BELOW_TITLES;
    for row in rows {
        let (cells, lines) = blocks::cells(row, y, fonts);
        let cells = cells.iter().map(|cell| {
            let texts = cell.iter().map(|text| writer.write(text).into()).collect();
            TagGroup::with_children(Tag::TD, texts).into()
        });
        content.rows.push(TagGroup::with_children(Tag::TR, cells.collect()));
        y += blocks::height(lines);
    }
    writer.rule(LEFT, RIGHT, blocks::FLOOR + 40)?;

    let subtotal = [("Subtotal de esta página".to_owned(), layout.subtotal(rows))];
    let (sums, remarks) = if is_last { (&*layout.totals, &*layout.remarks) } else { (&subtotal[..], &[][..]) };
    let sums = blocks::sums(sums, remarks, fonts);
    content.tail.extend(sums.iter().map(|text| paragraph(vec![writer.write(text).into()])));

    let texts_below = blocks::qr_code_texts(layout, fonts);
    let code = writer.draw_qr_code(qr_code)?;
    if is_last {
        let alternative = Some(format!("Código QR: {}", layout.address));
        content.tail.push(TagGroup::with_children(Tag::Figure(alternative), vec![code.into()]).into());
        content.tail.extend(texts_below.iter().map(|text| paragraph(vec![writer.write(text).into()])));
    } else {
        content.tail.push(TagGroup::with_children(Tag::Figure(Some("Código QR".to_owned())), vec![code.into()]).into());
        texts_below.iter().for_each(|text| writer.repeat(text));
    }
    writer.repeat(&blocks::page_number(page.index + 1, page.count, fonts));
    Ok(())
}

impl TaggedContent {
    fn tree(self, layout: &InvoiceLayout) -> TagTree {
        let mut tree = TagTree::new().with_lang(Some("es-DO".to_owned()));
        self.head.into_iter().for_each(|it| tree.push(it));
        let table = Tag::Table.with_summary(Some(layout.title.to_owned()));
        tree.push(TagGroup::with_children(table, self.rows.into_iter().map(Node::from).collect()));
        self.tail.into_iter().for_each(|it| tree.push(it));
        tree
    }
}

fn paragraph(texts: Vec<Node>) -> Node {
    TagGroup::with_children(Tag::P, texts).into()
}

fn settings() -> Result<SerializeSettings, Unprintable> {
    let archival = ConfigurationBuilder::new().with_archival_validator(Archival::A2_A).finish();
    let configuration = archival.map_err(|error| broken(format!("{error:?}")))?;
    Ok(SerializeSettings { configuration, compress_content_streams: false, ..SerializeSettings::default() })
}

fn metadata(layout: &InvoiceLayout) -> Metadata {
    let number = layout.numbers.first().map(String::as_str).unwrap_or_default();
    Metadata::new()
        .title(format!("{} {number}", layout.title))
        .authors(vec![layout.trade_name.clone()])
        .language("es-DO".to_owned())
        .creation_date(date_time(layout.signed_at))
        .document_id(layout.address.clone())
}

/// Time of the signature. The time of rendering would change the bytes.
fn date_time(at: chrono::DateTime<Utc>) -> DateTime {
    let small = |number: u32| u8::try_from(number).unwrap_or_default();
    DateTime::new(u16::try_from(at.year()).unwrap_or_default())
        .month(small(at.month()))
        .day(small(at.day()))
        .hour(small(at.hour()))
        .minute(small(at.minute()))
        .second(small(at.second()))
        .utc_offset_hour(0)
        .utc_offset_minute(0)
}

fn broken(reason: impl Into<String>) -> Unprintable {
    Unprintable { reason: reason.into() }
}

/// The page in twips has the size of the paper in points.
const _: () = assert!(PAGE.0 == 12_240 && PAGE.1 == 15_840);
