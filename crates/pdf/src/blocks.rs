//! Where each text stands on a page.
//!
//! All lengths are in twips, the twentieth of a point: a page of 8.5 by 11 inches has 12,240 by 15,840 of them, and none
//! of them is ever a fraction.

use crate::{
    face::{Face, Faces},
    sheet::{Row, Sheet},
};

pub(crate) const PAGE: (i32, i32) = (12_240, 15_840);
/// Two centimetres, within which the QR code may not come to any edge.
pub(crate) const LEFT: i32 = 1_140;
pub(crate) const RIGHT: i32 = PAGE.0 - LEFT;
const TOP: i32 = 1_140;
/// Where the second block of the head begins.
const MIDDLE: i32 = 6_700;
/// What was sold stands above, what it comes to and the QR code below.
pub(crate) const FLOOR: i32 = 12_300;
/// The QR code is 28 millimetres wide; the authority wants 22 at least.
pub(crate) const STAMP: Square = Square { x: LEFT, y: FLOOR + 240, side: 1_588 };

/// Where the first line below it stands: the authority wants three millimetres between them, which are 170.
const BELOW_STAMP: i32 = STAMP.y + STAMP.side + 300;

/// The size of ordinary text: 8.5 points.
const SIZE: i32 = 170;
/// From one line to the next.
const LEADING: i32 = 230;

/// A square place.
pub(crate) struct Square {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) side: i32,
}

/// A text, with the left end of its base line.
#[derive(Clone)]
pub(crate) struct Placed {
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
    /// Numbers end at the same place.
    is_number: bool,
    /// Of money.
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

/// Texts one below the other.
struct Stack<'a> {
    faces: &'a Faces,
    x: i32,
    width: i32,
    /// Where the last line stands.
    y: i32,
    texts: Vec<Placed>,
}

impl Stack<'_> {
    fn write(&mut self, text: &str, size: i32, is_bold: bool) {
        let face = face(self.faces, is_bold);
        for text in face.wrapped(text, size, self.width) {
            self.y += size + size * 7 / 20;
            self.texts.push(Placed { x: self.x, y: self.y, size, is_bold, text });
        }
    }
}

/// What stands on top of each page, and where it ends.
pub(crate) fn head(sheet: &Sheet, faces: &Faces) -> (Vec<Placed>, i32) {
    let stack = |x, right| Stack { faces, x, width: right - x, y: TOP, texts: Vec::new() };
    let mut issuer = stack(LEFT, MIDDLE - 300);
    issuer.write(&sheet.trade_name, 260, true);
    for line in &sheet.issuer {
        issuer.write(line, SIZE, false);
    }
    let mut numbers = stack(MIDDLE, RIGHT);
    numbers.write(sheet.title, 220, true);
    for (index, line) in sheet.numbers.iter().enumerate() {
        numbers.write(line, if index == 0 { 200 } else { SIZE }, index == 0);
    }
    if let Some(notice) = sheet.notice {
        numbers.write(notice, SIZE, true);
    }
    let mut buyer = stack(LEFT, RIGHT);
    buyer.y = issuer.y.max(numbers.y) + 160;
    for line in &sheet.buyer {
        buyer.write(line, SIZE, false);
    }
    let end = buyer.y + 340;
    (issuer.texts.into_iter().chain(numbers.texts).chain(buyer.texts).collect(), end)
}

/// The titles of the columns, at `y`.
pub(crate) fn titles(sheet: &Sheet, y: i32, faces: &Faces) -> Vec<Placed> {
    let title = |column: &Column| match column.is_amount {
        true => sheet.amounts_titled(column.title),
        false => column.title.to_owned(),
    };
    COLUMNS.iter().map(|column| in_column(column, &title(column), y, true, faces)).collect()
}

/// The cells of a row whose first line stands at `y`, and how many lines it takes.
pub(crate) fn cells(row: &Row, y: i32, faces: &Faces) -> (Vec<Vec<Placed>>, i32) {
    let [quantity, description, unit, price, rate, value] = &COLUMNS;
    let lines = faces.regular.wrapped(&row.description, SIZE, description.right - description.left);
    let count = i32::try_from(lines.len()).unwrap_or(1).max(1);
    let placed = |column, text: &str| vec![in_column(column, text, y, false, faces)];
    let described = (0..).zip(lines).map(|(line, text)| Placed {
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

/// How much room a row of so many lines takes.
pub(crate) const fn height(lines: i32) -> i32 {
    lines * LEADING + 40
}

/// Names and amounts at the lower right; the last is the one that counts.
pub(crate) fn sums(sums: &[(String, String)], remarks: &[String], faces: &Faces) -> Vec<Placed> {
    let mut y = FLOOR + 80;
    let mut texts = Vec::new();
    for (index, (name, amount)) in sums.iter().enumerate() {
        let is_last = index + 1 == sums.len();
        let size = if is_last { 220 } else { SIZE + 10 };
        y += if is_last { 300 } else { 240 };
        let face = face(faces, is_last);
        let name = face.printable(name);
        texts.push(Placed { x: MIDDLE, y, size, is_bold: is_last, text: name });
        texts.push(ending_at(RIGHT, y, size, is_last, face.printable(amount), faces));
    }
    for remark in remarks {
        y += 240;
        let text = faces.regular.printable(remark);
        let size = faces.regular.fitting(&text, SIZE, RIGHT - MIDDLE);
        texts.push(Placed { x: MIDDLE, y, size, is_bold: false, text });
    }
    texts
}

/// Writes the text below the QR code, and the legend at the foot.
pub(crate) fn stamp(sheet: &Sheet, faces: &Faces) -> Vec<Placed> {
    let line = |(index, text): (i32, &String)| Placed {
        x: LEFT,
        y: BELOW_STAMP + index * LEADING,
        size: SIZE,
        is_bold: false,
        text: faces.regular.printable(text),
    };
    let y = BELOW_STAMP + 2 * LEADING;
    let mut legend = Stack { faces, x: LEFT, width: RIGHT - LEFT, y, texts: Vec::new() };
    sheet.legend.iter().for_each(|text| legend.write(text, SIZE, true));
    (0..).zip(&sheet.stamp).map(line).chain(legend.texts).collect()
}

/// `Página 1 de 2`, at the lower right.
pub(crate) fn page_number(number: usize, count: usize, faces: &Faces) -> Placed {
    let text = format!("Página {number} de {count}");
    ending_at(RIGHT, BELOW_STAMP + LEADING, SIZE, false, text, faces)
}

fn in_column(column: &Column, text: &str, y: i32, is_bold: bool, faces: &Faces) -> Placed {
    let face = face(faces, is_bold);
    let text = face.printable(text);
    let size = face.fitting(&text, SIZE, column.right - column.left);
    if column.is_number {
        ending_at(column.right, y, size, is_bold, text, faces)
    } else {
        Placed { x: column.left, y, size, is_bold, text }
    }
}

fn ending_at(right: i32, y: i32, size: i32, is_bold: bool, text: String, faces: &Faces) -> Placed {
    let x = right - face(faces, is_bold).width(&text, size);
    Placed { x, y, size, is_bold, text }
}

const fn face(faces: &Faces, is_bold: bool) -> &Face {
    if is_bold { &faces.bold } else { &faces.regular }
}
