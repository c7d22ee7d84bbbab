//! Drawing: the texts in their places become pages of one file.

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
    blocks::{self, LEFT, PAGE, Placed, RIGHT},
    face::Faces,
    packed::packed,
    pages::{BELOW_TITLES, pages},
    pen::Pen,
    sheet::Sheet,
    stamp::{Squares, squares},
};

/// One twip, in points.
const TWIP: f32 = 0.05;
/// Letter, in points.
const PAPER: (f32, f32) = (612.0, 792.0);

/// The whole file.
pub(crate) fn draw(sheet: &Sheet, faces: &Faces) -> Result<Vec<u8>, Unprintable> {
    let squares = squares(&sheet.address)?;
    let (head, top) = blocks::head(sheet, faces);
    let parts = pages(sheet, top, faces);

    let mut document = Document::new_with(settings()?);
    document.set_metadata(metadata(sheet));
    let mut read = Read::default();
    for (index, rows) in parts.iter().enumerate() {
        let page = PageSettings::from_wh(PAPER.0, PAPER.1).ok_or_else(|| broken("the paper has no size"))?;
        let mut page = document.start_page_with(page);
        let mut surface = page.surface();
        surface.push_transform(&Transform::from_scale(TWIP, TWIP));
        let place = Place { index, count: parts.len(), rows: rows.clone(), head: &head, top };
        one_page(&mut surface, sheet, faces, &place, &squares, &mut read)?;
        surface.pop();
        surface.finish();
        page.finish();
    }
    document.set_tag_tree(read.tree(sheet));
    let file = document.finish().map_err(|error| broken(format!("{error:?}")))?;
    Ok(packed(&file).unwrap_or(file))
}

/// One page among others.
struct Place<'a> {
    index: usize,
    count: usize,
    rows: Range<usize>,
    head: &'a [Placed],
    top: i32,
}

/// What a reader hears, in order.
#[derive(Default)]
struct Read {
    head: Vec<Node>,
    rows: Vec<TagGroup>,
    tail: Vec<Node>,
}

fn one_page(
    surface: &mut Surface<'_>,
    sheet: &Sheet,
    faces: &Faces,
    place: &Place<'_>,
    squares: &Squares,
    read: &mut Read,
) -> Result<(), Unprintable> {
    let is_first = place.index == 0;
    let is_last = place.index + 1 == place.count;
    let mut pen = Pen { surface, faces };
    let titles = blocks::titles(sheet, place.top, faces);
    if is_first {
        read.head.extend(place.head.iter().map(|text| paragraph(vec![pen.write(text).into()])));
        let scope = TableHeaderScope::Column;
        let titles = titles.iter().map(|it| TagGroup::with_children(Tag::TH(scope), vec![pen.write(it).into()]).into());
        read.rows.push(TagGroup::with_children(Tag::TR, titles.collect()));
    } else {
        place.head.iter().chain(&titles).for_each(|text| pen.repeat(text));
    }
    pen.rule(LEFT, RIGHT, place.top + 90)?;

    let rows = sheet.rows.get(place.rows.clone()).unwrap_or_default();
    let mut y = place.top + BELOW_TITLES;
    for row in rows {
        let (cells, lines) = blocks::cells(row, y, faces);
        let cells = cells.iter().map(|cell| {
            let texts = cell.iter().map(|text| pen.write(text).into()).collect();
            TagGroup::with_children(Tag::TD, texts).into()
        });
        read.rows.push(TagGroup::with_children(Tag::TR, cells.collect()));
        y += blocks::height(lines);
    }
    pen.rule(LEFT, RIGHT, blocks::FLOOR + 40)?;

    let subtotal = [("Subtotal de esta página".to_owned(), sheet.subtotal(rows))];
    let (sums, remarks) = if is_last { (&*sheet.totals, &*sheet.remarks) } else { (&subtotal[..], &[][..]) };
    let sums = blocks::sums(sums, remarks, faces);
    read.tail.extend(sums.iter().map(|text| paragraph(vec![pen.write(text).into()])));

    let stamp = blocks::stamp(sheet, faces);
    let code = pen.stamp(squares)?;
    if is_last {
        let said = Some(format!("Código QR: {}", sheet.address));
        read.tail.push(TagGroup::with_children(Tag::Figure(said), vec![code.into()]).into());
        read.tail.extend(stamp.iter().map(|text| paragraph(vec![pen.write(text).into()])));
    } else {
        read.tail.push(TagGroup::with_children(Tag::Figure(Some("Código QR".to_owned())), vec![code.into()]).into());
        stamp.iter().for_each(|text| pen.repeat(text));
    }
    pen.repeat(&blocks::page_number(place.index + 1, place.count, faces));
    Ok(())
}

impl Read {
    fn tree(self, sheet: &Sheet) -> TagTree {
        let mut tree = TagTree::new().with_lang(Some("es-DO".to_owned()));
        self.head.into_iter().for_each(|it| tree.push(it));
        let table = Tag::Table.with_summary(Some(sheet.title.to_owned()));
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

fn metadata(sheet: &Sheet) -> Metadata {
    let number = sheet.numbers.first().map(String::as_str).unwrap_or_default();
    Metadata::new()
        .title(format!("{} {number}", sheet.title))
        .authors(vec![sheet.trade_name.clone()])
        .language("es-DO".to_owned())
        .creation_date(moment(sheet.signed_at))
        .document_id(sheet.address.clone())
}

/// The signature's time: a file that says when it was drawn would be another each time.
fn moment(at: chrono::DateTime<Utc>) -> DateTime {
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

/// The page in twips is the paper in points.
const _: () = assert!(PAGE.0 == 12_240 && PAGE.1 == 15_840);
