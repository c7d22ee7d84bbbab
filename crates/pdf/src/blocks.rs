//! Layout of a page.
//!
//! All lengths are in twips, the twentieth of a point. A page of 8.5 by 11 inches has 12,240 by 15,840 twips, and no
//! length is a fraction.

use crate::{
    fonts::Fonts,
    invoice_layout::{InvoiceLayout, Row},
};

pub(crate) const PAGE: (i32, i32) = (12_240, 15_840);
/// Margin of two centimeters, which the QR code must not enter.
pub(crate) const LEFT: i32 = 1_140;
pub(crate) const RIGHT: i32 = PAGE.0 - LEFT;
const TOP: i32 = 1_140;
/// Left edge of the second block of the header.
const MIDDLE: i32 = 6_700;
/// End of the table. Totals and QR code follow below.
pub(crate) const FLOOR: i32 = 12_300;
/// The QR code is 28 millimeters wide; the authority requires at least 22.
pub(crate) const QR_CODE: Square = Square { x: LEFT, y: FLOOR + 240, side: 1_588 };

/// First line below the QR code: the authority requires a distance of three millimeters, 170 twips.
const BELOW_QR_CODE: i32 = QR_CODE.y + QR_CODE.side + 300;

/// Font size of ordinary text: 8.5 points.
const SIZE: i32 = 170;
/// Distance between lines.
const LEADING: i32 = 230;

pub(crate) struct Square {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) side: i32,
}

/// A text with the left end of its baseline.
#[derive(Clone)]
pub(crate) struct PlacedText {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) size: i32,
    pub(crate) is_bold: bool,
    pub(crate) text: String,
}

/// A column of the table.
struct Column {
    title: &'static str,
    left: i32,
    right: i32,
    /// Whether the text is aligned to the right.
    is_number: bool,
    /// Whether the title names the currency.
    is_amount: bool,
}

const COLUMNS: [Column; 6] = [
    Column { title: "Cantidad", left: LEFT, right: 1_960, is_number: true, is_amount: false },
    Column { title: "Descripción", left: 2_100, right: 6_820, is_number: false, is_amount: false },
    Column { title: "Unidad", left: 6_940, right: 7_760, is_number: false, is_amount: false },
    Column { title: "Precio", left: 7_820, right: 9_020, is_number: true, is_amount: true },
    Column { title: "ITBIS", left: 9_080, right: 9_840, is_number: true, is_amount: false },
    Column { title: "Valor", left: 9_900, right: RIGHT, is_number: true, is_amount: true },
];

/// Lines of text below each other.
struct Stack<'a> {
    fonts: &'a Fonts,
    x: i32,
    width: i32,
    /// Baseline of the last line.
    y: i32,
    texts: Vec<PlacedText>,
}

impl Stack<'_> {
    fn write(&mut self, text: &str, size: i32, is_bold: bool) {
        let face = self.fonts.face(is_bold);
        for text in face.wrapped(text, size, self.width) {
            self.y += size + size * 7 / 20;
            self.texts.push(PlacedText { x: self.x, y: self.y, size, is_bold, text });
        }
    }
}

/// Returns the texts at the top of each page, and their end.
pub(crate) fn head(layout: &InvoiceLayout, fonts: &Fonts) -> (Vec<PlacedText>, i32) {
    let stack = |x, right| Stack { fonts, x, width: right - x, y: TOP, texts: Vec::new() };
    let mut issuer = stack(LEFT, MIDDLE - 300);
    issuer.write(&layout.trade_name, 260, true);
    for line in &layout.issuer {
        issuer.write(line, SIZE, false);
    }
    let mut numbers = stack(MIDDLE, RIGHT);
    numbers.write(layout.title, 220, true);
    for (index, line) in layout.numbers.iter().enumerate() {
        numbers.write(line, if index == 0 { 200 } else { SIZE }, index == 0);
    }
    if let Some(notice) = layout.notice {
        numbers.write(notice, SIZE, true);
    }
    let mut buyer = stack(LEFT, RIGHT);
    buyer.y = issuer.y.max(numbers.y) + 160;
    for line in &layout.buyer {
        buyer.write(line, SIZE, false);
    }
    let end = buyer.y + 340;
    (issuer.texts.into_iter().chain(numbers.texts).chain(buyer.texts).collect(), end)
}

/// Returns the titles of the columns.
pub(crate) fn titles(layout: &InvoiceLayout, y: i32, fonts: &Fonts) -> Vec<PlacedText> {
    let title = |column: &Column| match column.is_amount {
        true => layout.amount_title(column.title),
        false => column.title.to_owned(),
    };
    COLUMNS.iter().map(|column| in_column(column, &title(column), y, true, fonts)).collect()
}

/// Returns the cells of a row with its first line at `y`, and the number of lines.
pub(crate) fn cells(row: &Row, y: i32, fonts: &Fonts) -> (Vec<Vec<PlacedText>>, i32) {
    let [quantity, description, unit, price, rate, value] = &COLUMNS;
    let lines = fonts.regular.wrapped(&row.description, SIZE, description.right - description.left);
    let count = i32::try_from(lines.len()).unwrap_or(1).max(1);
    let placed = |column, text: &str| vec![in_column(column, text, y, false, fonts)];
    let described = (0..).zip(lines).map(|(line, text)| PlacedText {
        x: description.left,
        y: y + line * LEADING,
        size: SIZE,
        is_bold: false,
        text,
    });
    let cells = vec![
        placed(quantity, &row.quantity),
        described.collect(),
        placed(unit, row.unit),
        placed(price, &row.price),
        placed(rate, &row.rate),
        placed(value, &row.value),
    ];
    (cells, count)
}

/// Returns the height of a row.
pub(crate) const fn height(lines: i32) -> i32 {
    lines * LEADING + 40
}

/// Returns the totals at the lower right; the last one is emphasized.
pub(crate) fn sums(sums: &[(String, String)], remarks: &[String], fonts: &Fonts) -> Vec<PlacedText> {
    let mut y = FLOOR + 80;
    let mut texts = Vec::new();
    for (index, (name, amount)) in sums.iter().enumerate() {
        let is_last = index + 1 == sums.len();
        let size = if is_last { 220 } else { SIZE + 10 };
        y += if is_last { 300 } else { 240 };
        let face = fonts.face(is_last);
        let name = face.printable(name);
        texts.push(PlacedText { x: MIDDLE, y, size, is_bold: is_last, text: name });
        texts.push(ending_at(RIGHT, y, size, is_last, face.printable(amount), fonts));
    }
    for remark in remarks {
        y += 240;
        let text = fonts.regular.printable(remark);
        let size = fonts.regular.fitting(&text, SIZE, RIGHT - MIDDLE);
        texts.push(PlacedText { x: MIDDLE, y, size, is_bold: false, text });
    }
    texts
}

/// Returns the text below the QR code, and the legend at the bottom.
pub(crate) fn qr_code_texts(layout: &InvoiceLayout, fonts: &Fonts) -> Vec<PlacedText> {
    let line = |(index, text): (i32, &String)| PlacedText {
        x: LEFT,
        y: BELOW_QR_CODE + index * LEADING,
        size: SIZE,
        is_bold: false,
        text: fonts.regular.printable(text),
    };
    let y = BELOW_QR_CODE + 2 * LEADING;
    let mut legend = Stack { fonts, x: LEFT, width: RIGHT - LEFT, y, texts: Vec::new() };
    layout.legend.iter().for_each(|text| legend.write(text, SIZE, true));
    (0..).zip(&layout.qr_code_texts).map(line).chain(legend.texts).collect()
}

/// Returns `Página 1 de 2`, at the lower right.
pub(crate) fn page_number(number: usize, count: usize, fonts: &Fonts) -> PlacedText {
    let text = format!("Página {number} de {count}");
    ending_at(RIGHT, BELOW_QR_CODE + LEADING, SIZE, false, text, fonts)
}

fn in_column(column: &Column, text: &str, y: i32, is_bold: bool, fonts: &Fonts) -> PlacedText {
    let face = fonts.face(is_bold);
    let text = face.printable(text);
    let size = face.fitting(&text, SIZE, column.right - column.left);
    if column.is_number {
        ending_at(column.right, y, size, is_bold, text, fonts)
    } else {
        PlacedText { x: column.left, y, size, is_bold, text }
    }
}

fn ending_at(right: i32, y: i32, size: i32, is_bold: bool, text: String, fonts: &Fonts) -> PlacedText {
    let x = right - fonts.face(is_bold).width(&text, size);
    PlacedText { x, y, size, is_bold, text }
}
