//! Draws the pages of a document.

use std::{collections::BTreeSet, ops::Range};

use pdf_writer::{
    Finish, Name, Rect, Ref, TextStr,
    types::TabOrder,
    writers::{Catalog, Page},
};
use ports::Unprintable;

use crate::{
    blocks::{self, LEFT, PAGE, PlacedText, RIGHT},
    file::PdfFile,
    fonts::Fonts,
    invoice_layout::InvoiceLayout,
    metadata,
    page_writer::PageWriter,
    pagination::{BELOW_TITLES, pages},
    qr::{QrCode, qr_code},
    resources,
    tags::{Tags, Tail},
};

/// US Letter in points.
const PAPER: Rect = Rect { x1: 0.0, y1: 0.0, x2: 612.0, y2: 792.0 };

/// Returns the PDF.
pub(crate) fn draw(layout: &InvoiceLayout, fonts: &Fonts) -> Result<Vec<u8>, Unprintable> {
    let qr_code = qr_code(&layout.address)?;
    let (head, top) = blocks::head(layout, fonts);
    let parts = pages(layout, top, fonts);

    let mut file = PdfFile::new();
    let (mut tags, mut used) = (Tags::default(), BTreeSet::new());
    let (tree, shared) = (file.reserve(), file.reserve());
    let mut ids = Vec::with_capacity(parts.len());
    for (index, rows) in parts.iter().enumerate() {
        let id = file.reserve();
        let page = PageContext { index, count: parts.len(), rows: rows.clone(), head: &head, top };
        let mut writer = PageWriter::new(id, fonts, &mut used);
        one_page(&mut writer, layout, fonts, &page, &qr_code, &mut tags);
        let content = file.stream("", &writer.finish())?;
        let mut page: Page<'_> = file.object(id).page(id);
        page.parent(tree).media_box(PAPER).contents(content).tab_order(TabOrder::StructureOrder);
        page.struct_parents(i32::try_from(index).unwrap_or(i32::MAX)).pair(Name(b"Resources"), shared);
        page.finish();
        ids.push(id);
    }
    let count = i32::try_from(ids.len()).unwrap_or(i32::MAX);
    file.object(tree).pages(tree).kids(ids.iter().copied()).count(count);
    resources::write(shared, &used, fonts, &qr_code, &mut file)?;
    let tags = tags.write(&mut file, &ids, layout.title);
    finish(file, layout, tree, tags)
}

/// One of the pages.
struct PageContext<'a> {
    index: usize,
    count: usize,
    rows: Range<usize>,
    head: &'a [PlacedText],
    top: i32,
}

fn one_page(
    writer: &mut PageWriter<'_>,
    layout: &InvoiceLayout,
    fonts: &Fonts,
    page: &PageContext<'_>,
    qr_code: &QrCode,
    tags: &mut Tags,
) {
    let is_last = page.index + 1 == page.count;
    let titles = blocks::titles(layout, page.top, fonts);
    if page.index == 0 {
        tags.head.extend(page.head.iter().map(|text| writer.write(text)));
        tags.rows.push(titles.iter().map(|it| vec![writer.write(it)]).collect());
    } else {
        page.head.iter().chain(&titles).for_each(|text| writer.repeat(text));
    }
    writer.rule(LEFT, RIGHT, page.top + 90);

    let rows = layout.rows.get(page.rows.clone()).unwrap_or_default();
    let mut y = page.top + BELOW_TITLES;
    for row in rows {
        let (cells, lines) = blocks::cells(row, y, fonts);
        tags.rows.push(cells.iter().map(|cell| cell.iter().map(|text| writer.write(text)).collect()).collect());
        y += blocks::height(lines);
    }
    writer.rule(LEFT, RIGHT, blocks::FLOOR + 40);

    let subtotal = [("Subtotal de esta página".to_owned(), layout.subtotal(rows))];
    let (sums, remarks) = if is_last { (&*layout.totals, &*layout.remarks) } else { (&subtotal[..], &[][..]) };
    let sums = blocks::sums(sums, remarks, fonts);
    tags.tail.extend(sums.iter().map(|text| Tail::Text(writer.write(text))));

    let texts_below = blocks::qr_code_texts(layout, fonts);
    let code = writer.draw_qr_code(qr_code);
    if is_last {
        tags.tail.push(Tail::Picture(code, format!("Código QR: {}", layout.address)));
        tags.tail.extend(texts_below.iter().map(|text| Tail::Text(writer.write(text))));
    } else {
        tags.tail.push(Tail::Picture(code, "Código QR".to_owned()));
        texts_below.iter().for_each(|text| writer.repeat(text));
    }
    writer.repeat(&blocks::page_number(page.index + 1, page.count, fonts));
}

fn finish(mut file: PdfFile, layout: &InvoiceLayout, tree: Ref, tags: Ref) -> Result<Vec<u8>, Unprintable> {
    let info = metadata::write_info(layout, &mut file);
    let metadata = metadata::write_xmp(layout, &mut file);
    let intents = resources::write_output_intents(&mut file)?;
    let root = file.reserve();
    let mut catalog: Catalog<'_> = file.object(root).indirect(root).start();
    catalog.pages(tree).lang(TextStr("es-DO")).metadata(metadata);
    catalog.mark_info().marked(true);
    catalog.pair(Name(b"StructTreeRoot"), tags).pair(Name(b"OutputIntents"), intents);
    catalog.finish();
    file.finish(root, info, &layout.address)
}

/// The page in twips has the size of the paper in points.
const _: () = assert!(PAGE.0 == 12_240 && PAGE.1 == 15_840);
